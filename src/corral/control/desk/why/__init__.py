"""Why a job is as it is: one dominant reason in plain words, the evidence for it, and what helps.

`facts` asks the API, each as far as rights go; everything else is pure, from these facts to one `Reason`. The rules stand in
`judging`, the most decisive first; a scheduler that knows exactly puts its own reason before those about places.
"""
