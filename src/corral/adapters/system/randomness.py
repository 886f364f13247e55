"""The randomness of the machine, as the `Randomness` port."""

import random
import secrets

_SIGNS = "bcdfghjklmnpqrstvwxz2456789"  # no vowels, so that no words appear; no look-alikes


class SystemRandomness:
    """Real chance."""

    def fraction(self) -> float:
        """Returns a number from 0 to below 1."""
        return random.random()  # noqa: S311 - spreads load, guards nothing

    def token(self) -> str:
        """Returns ten unpredictable letters and digits."""
        return "".join(secrets.choice(_SIGNS) for _ in range(10))
