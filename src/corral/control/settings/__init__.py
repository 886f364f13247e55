"""What users set once instead of typing it again: which settings there are, where they may stand, and which place counts.

Everything here is pure: texts and words in, values with their origins out. Reading and writing files is left to others.
"""
