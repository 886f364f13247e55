"""How objects look in a terminal: the Table form that `kubectl get` asks for.

A printer is data (columns) plus one function that makes the cells of an object; nothing here decides anything, reads
a clock or stores. Texts of cells follow kube-apiserver exactly, because people's scripts cut them apart.
"""

from corral.engine.apiserver.resources.tables.printers import DEFAULT_PRINTER, printer_for
from corral.engine.apiserver.resources.tables.rendering import table

__all__ = ["DEFAULT_PRINTER", "printer_for", "table"]
