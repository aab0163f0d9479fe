"""Nothing can be asked: a person has to look. With a lookup the next attempt can go on.

Page: review/experiments
"""

# --8<-- [start:run]
from faultlab import Lab
from faultlab.async_lab import saved_run

stopped = Lab(fault="native_reply").run()
print("no lookup:", stopped["status"], stopped["outcome"])
#> no lookup: needs_review unknown
recovered = saved_run("crash-after-effect", "durable")
print("with one:", recovered["headline"], recovered["effects"])
#> with one: Recovered by operation key 1
# --8<-- [end:run]
