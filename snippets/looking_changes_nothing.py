"""What inspect returns is a copy: editing it reaches nothing, reading it sends nothing.

Page: understand/what-remains
"""

# --8<-- [start:run]
from faultlab import Lab

lab = Lab()
lab.run()
lab.inspect()["trace"].append("invented")

print("invented" in lab.inspect()["trace"], lab.inspect()["send_count"])
#> False 1
print(lab.inspect()["durable_receipt_verified"], lab.inspect()["automatic_replay"])
#> False False
# --8<-- [end:run]
