"""Which texts are IP addresses and ranges, and which addresses can be endpoints of a service."""

import re
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

BAD_ADDRESS = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
BAD_RANGE = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"

_without_leading_zeros = re.compile(r"(^|\.)0+(?=\d)").sub


def parsed(text: str) -> IPv4Address | IPv6Address | None:
    """Reads an address as old fields allow it: leading zeros in IPv4 are skipped."""
    try:
        return ip_address(text if ":" in text else _without_leading_zeros(r"\1", text))
    except ValueError:
        return None


def address_faults(text: str) -> tuple[str, ...]:
    """Checks an IP address of either family."""
    return () if parsed(text) is not None and "%" not in text else (BAD_ADDRESS,)


def range_faults(text: str) -> tuple[str, ...]:
    """Checks a range such as `10.9.8.0/24`."""
    try:
        ip_network(_without_leading_zeros(r"\1", text) if ":" not in text else text, strict=False)
    except ValueError:
        return (BAD_RANGE,)
    return () if "/" in text else (BAD_RANGE,)


def endpoint_faults(text: str) -> tuple[str, ...]:
    """Checks that an address can be reached by others, as endpoints and external addresses must."""
    address = parsed(text)
    if address is None:
        return ("must be a valid IP address",)
    found: list[str] = []
    if address.is_unspecified:
        found.append(f"may not be unspecified ({text})")
    if address.is_loopback:
        found.append("may not be in the loopback range (127.0.0.0/8, ::1/128)")
    if address.is_link_local:
        found.append("may not be in the link-local range (169.254.0.0/16, fe80::/10)")
    if _is_link_local_multicast(address):
        found.append("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)")
    return tuple(found)


def _is_link_local_multicast(address: IPv4Address | IPv6Address) -> bool:
    leading = address.packed[:3] if address.version == 4 else address.packed[:2]
    return leading == b"\xe0\x00\x00" if address.version == 4 else leading[0] == 0xFF and leading[1] & 0x0F == 2
