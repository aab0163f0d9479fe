"""Only the declared names are accepted, and only as plain strings.

Page: look-up/errors
"""

# --8<-- [start:run]
from faultlab import Lab


class Name(str):
    """Equal to a plain string, and still refused."""


for asked in (
    {"fault": "final-write"},
    {"cancel_at": Name("none")},
    {"observation": None},
):
    try:
        Lab(**asked)
    except ValueError as error:
        print(error, "·", error.__notes__[0])
#> INVALID_SCENARIO · fault='final-write' is not in the vocabulary. Allowed: none, prepare_write, dispatch_write, native_reply, verification, final_write.
#> INVALID_SCENARIO · cancel_at='none' is not in the vocabulary. Allowed: none, after_prepare, before_send, after_send.
#> INVALID_SCENARIO · observation=None is not in the vocabulary. Allowed: match, mismatch, unavailable.
# --8<-- [end:run]
