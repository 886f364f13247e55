"""Server-side apply: who owns which field, and what happens when two managers disagree. Pure functions.

`field_set` is the algebra of owned fields, kept in the very form in which they travel (FieldsV1), so that nothing is
decoded or encoded on the way. `comparison`, `merging` and `removal` walk objects by their schema. `tracking` answers
for plain writes, `applying` for apply requests; both go through `ownership`, the list of managers of one object.
"""
