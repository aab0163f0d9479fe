"""Text that a terminal shows as it stands, and does not obey."""


def printable(text: str) -> str:
    r"""The text with every control and format character written out, such as `\x1b`.

    What a program raises may hold whatever came in over its network. Line feeds stay.
    """
    if text.replace("\n", "").isprintable():
        return text
    return "".join(
        character
        if character == "\n" or character.isprintable()
        else character.encode("unicode_escape").decode("ascii")
        for character in text
    )
