"""The words of schedules."""

from typing import Final

MACROS: Final = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
FIELDS: Final = ("minute", "hour", "day of the month", "month", "day of the week")
EXAMPLE: Final = (
    'write five fields, as in "30 22 * * MON-FRI", or one of @hourly, @daily, @weekly, @monthly, @yearly, @every 90m'
)
