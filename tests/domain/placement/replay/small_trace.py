"""A trace of a few nodes and pods, as text."""

NODES = """sn,cpu_milli,memory_mib,gpu,model
n0,32000,131072,4,A100
n1,32000,131072,4,A100
n2,64000,262144,8,T4
n3,16000,65536,0,
"""

PODS = """name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos
p0,1000,1024,1,1000,,LS
p1,1000,1024,1,500,,LS
p2,2000,2048,2,1000,A100,LS
p3,1000,1024,1,700,T4|A100,BE
p4,4000,1024,0,0,,BE
"""
