"""The minimal binder: which node a pod goes to, and why it goes to none. Pure; the loop is in the engine.

It counts what must never be given twice (GPUs and other extended resources, host ports, the number of pods) and what a
node refuses or a pod asks for (taints, selectors, required node affinity). CPU and memory are not counted: the
processes of one machine share them, as they do outside of Corral. Affinity between pods, spreading, preferences,
preemption and gangs are not looked at.
"""
