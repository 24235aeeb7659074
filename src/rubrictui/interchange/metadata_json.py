"""Reads records in the metadata JSON shape as the documents that YAML holds (guide section 2).

A file holds one record or a list of them: ``fields`` in PascalCase, ``primaryKey``, ``relatedEntities``, with
``@lookup:Entity.Field=Value``, ``@parent:ID`` and ``@file:relative`` as values. Each record becomes the nodes of
a document and goes through the same checks as YAML from there; every node keeps the place it was
written at. Siblings stand in the order of their ``Sequence``.
"""

from __future__ import annotations

import difflib
import json
import re
from pathlib import Path

from rubrictui.core.errors import InvalidInputError
from rubrictui.ground.findings import Findings
from rubrictui.ground.yaml_nodes import (
    BrokenNode,
    MappingNode,
    Position,
    ScalarNode,
    SequenceNode,
    YamlNode,
    decode,
)
from rubrictui.interchange.json_nodes import read_json_node
from rubrictui.interchange.metadata_fields import (
    ANCHOR,
    BAND,
    CATEGORY,
    CRITERION,
    ENTITIES,
    FOLDERS,
    LEVEL,
    PUBLICATION,
    RUBRIC,
    SCALE,
    VERSION,
    Entity,
    Field,
    Takes,
    entity_named,
    title,
)
from rubrictui.interchange.metadata_rows import folded, in_order, list_of, move, nested
from rubrictui.interchange.subject_files import inside, read_bytes

SETTINGS = ".mj-sync.json"
_PARTS = ("fields", "primaryKey", "relatedEntities")
_KINDS = {CATEGORY: "category", SCALE: "scale", RUBRIC: "rubric", PUBLICATION: "publication"}
_HOLDERS = {LEVEL: "levels", VERSION: "version", CRITERION: "children", ANCHOR: "anchors", BAND: "bands"}
_KEYWORD = re.compile(r"@(file|lookup|parent|root|env|url|template|include):", re.IGNORECASE)
_LOOKUP = re.compile(r"@lookup:(?P<entity>.+?)\.(?P<conditions>[A-Za-z_]\w*=.*)", re.DOTALL)


def is_metadata(root: YamlNode | None) -> bool:
    """Whether a JSON value has the shape of these records: an object with ``fields``, or a list of them."""
    first = root.items[0] if isinstance(root, SequenceNode) and root.items else root
    return isinstance(first, MappingNode) and ("fields" in first.pairs or "relatedEntities" in first.pairs)


class MetadataReader:
    """Turns the records of one file into document nodes.

    Attributes:
        categories: the categories that records look up by name, which must be known, with their places.
    """

    def __init__(self, findings: Findings, folder: Path | None) -> None:
        self._findings = findings
        self._folder = folder
        self.categories: list[tuple[str, Position]] = []

    def documents(self, text: str) -> list[MappingNode]:
        """The documents of a file's text; what is refused is in the findings."""
        root = read_json_node(text, self._findings)
        if root is None:
            return []
        records = root.items if isinstance(root, SequenceNode) else [root]
        return [document for record in records if (document := self._document(record)) is not None]

    def _add(self, code: str, message: str, at: Position) -> None:
        self._findings.add(code, message, at)

    # -- records -------------------------------------------------------------------------------------

    def _document(self, record: YamlNode) -> MappingNode | None:
        if not isinstance(record, MappingNode):
            self._add("wrong_type", 'a record must be an object with "fields" and "primaryKey".', record.at)
            return None
        entity = self._entity(record)
        if entity is None:
            return None
        document = MappingNode(record.at)
        document.pairs["kind"] = (record.at, ScalarNode(record.at, _KINDS[entity.name], False))
        self._fill(document, record, entity, owners={})
        if entity.name == PUBLICATION:
            self._publication(document, record)
        return document

    def _entity(self, record: MappingNode) -> Entity | None:
        """By the folder's settings, else what the record holds, else the folder's name."""
        name = self._of_settings(record) or _guessed(record) or FOLDERS.get(self._folder_name())
        if name is None:
            known = ", ".join(FOLDERS)
            self._add(
                "unknown_entity",
                f"nothing says which entity this record is of. Put it in a folder named {known}, "
                f"or name it in {SETTINGS}.",
                record.at,
            )
            return None
        entity = entity_named(name)
        if entity is not None and entity.name == VERSION:
            entity = ENTITIES[PUBLICATION]
        if entity is None or entity.name not in _KINDS:
            known = ", ".join(title(one) for one in (SCALE, CATEGORY, RUBRIC, VERSION))
            self._add(
                "unknown_entity",
                f'records of "{name[:60]}" are not read here; those of {known} are.',
                record.at,
            )
            return None
        return entity

    def _folder_name(self) -> str:
        return self._folder.resolve().name.casefold() if self._folder is not None else ""

    def _of_settings(self, record: MappingNode) -> str | None:
        path = self._folder / SETTINGS if self._folder is not None else None
        if path is None or not path.is_file():
            return None
        try:
            settings = json.loads(read_bytes(path).decode("utf-8-sig"))
        except (InvalidInputError, ValueError, RecursionError):
            self._add("bad_settings", f"{path} beside this file is not readable JSON. Correct it.", record.at)
            return None
        entity = settings.get("entity") if isinstance(settings, dict) else None
        return entity if isinstance(entity, str) else None

    def _fill(
        self, made: MappingNode, record: MappingNode, entity: Entity, *, owners: dict[str, str]
    ) -> None:
        """The fields, the id and the related records of one record. ``owners`` has the id of each record
        above it, by entity."""
        self._parts(record)
        key = self._id(record, optional=entity.name == ANCHOR)
        if key is not None and entity.name != ANCHOR:
            made.pairs["id"] = key
        fields = record.get("fields")
        if isinstance(fields, MappingNode):
            for name, (at, value) in fields.pairs.items():
                self._field(made, entity, owners, (name, at, value))
        elif fields is not None:
            self._add("wrong_type", '"fields" must be an object.', fields.at)
        else:
            self._add(
                "missing_field", f'"fields" is missing in the record of {title(entity.name)}.', record.at
            )
        own = {**owners, entity.name: key[1].text} if key and isinstance(key[1], ScalarNode) else owners
        self._related(made, record, entity, own)

    def _parts(self, record: MappingNode) -> None:
        for name, (at, _) in record.pairs.items():
            if name == "sync":
                self._add("computed_field", '"sync" is kept by that platform; remove it.', at)
            elif name not in _PARTS:
                self._unknown("part", name, at, list(_PARTS))

    def _id(self, record: MappingNode, *, optional: bool) -> tuple[Position, YamlNode] | None:
        key = record.get("primaryKey")
        if key is None:
            if not optional:
                self._add("missing_field", '"primaryKey" is missing. Give {"ID": "..."}.', record.at)
            return None
        if not isinstance(key, MappingNode) or list(key.pairs) != ["ID"]:
            self._add("wrong_type", '"primaryKey" must be an object with "ID" alone.', key.at)
            return None
        at, node = key.pairs["ID"]
        return at, folded(node)

    def _field(
        self,
        made: MappingNode,
        entity: Entity,
        owners: dict[str, str],
        given: tuple[str, Position, YamlNode],
    ) -> None:
        name, at, value = given
        field = entity.fields.get(name)
        if field is None:
            if name in entity.computed:
                self._add("computed_field", f'"{name}" is computed; it cannot be given. Remove it.', at)
            else:
                self._unknown(f"field of {title(entity.name)}", name, at, list(entity.fields))
            return
        if field.takes is Takes.OWNER:
            self._owner(field, name, value, owners)
        elif field.takes is Takes.PARENT:
            made.pairs["parent_id"] = (at, value)
        elif field.takes is Takes.LOOKUP:
            self._lookup(made, field, given)
        elif field.takes is Takes.CONFIG:
            made.pairs[field.to] = (at, self._config(name, value))
        else:
            made.pairs[field.to] = (at, self._value(name, value))

    def _unknown(self, what: str, name: str, at: Position, known: list[str]) -> None:
        close = difflib.get_close_matches(name, known, n=1)
        hint = f'Did you mean "{close[0]}"?' if close else f"There are {', '.join(known)}."
        self._add("unknown_field", f'there is no {what} "{name[:60]}". {hint}', at)

    # -- values --------------------------------------------------------------------------------------

    def _value(self, name: str, value: YamlNode) -> YamlNode:
        """A value as it is; ``@file`` as the text of the file."""
        if not isinstance(value, ScalarNode) or value.plain:
            return value
        match = _KEYWORD.match(value.text)
        if match is None:
            return value
        if match.group(1).casefold() == "file":
            return self._file(name, value)
        self._add(
            "bad_reference", f'"{name}" cannot be {match.group(0)}... Give its value, or @file:.', value.at
        )
        return BrokenNode(value.at)

    def _file(self, name: str, value: ScalarNode) -> YamlNode:
        relative = value.text.partition(":")[2].strip()
        if self._folder is None:
            self._add("missing_file", f'"{name}" names a file, and this text has no folder.', value.at)
            return BrokenNode(value.at)
        try:
            path = inside(self._folder, relative)
        except InvalidInputError as error:
            self._add("outside", f"{error.message} Keep the file beside the record, or below it.", value.at)
            return BrokenNode(value.at)
        try:
            data = read_bytes(path)
        except InvalidInputError as error:
            self._add("missing_file", str(error), value.at)
            return BrokenNode(value.at)
        found = Findings(str(path))
        text = decode(data, found)
        if text is None:
            self._add("encoding", f"{path}: {found.all[0].message}", value.at)
            return BrokenNode(value.at)
        return ScalarNode(value.at, text, False)

    def _config(self, name: str, value: YamlNode) -> YamlNode:
        """An object, in place or as text."""
        value = self._value(name, value)
        if not isinstance(value, ScalarNode) or value.plain:
            return value
        inner = Findings(self._findings.file)
        node = read_json_node(value.text, inner)
        if inner.all:
            line, column = inner.all[0].line, inner.all[0].column
            message = f'the text of "{name}", line {line}, column {column}: {inner.all[0].message}'
            self._add("syntax", message, value.at)
            return BrokenNode(value.at)
        assert node is not None
        move(node, value.at)
        return node

    # -- references ----------------------------------------------------------------------------------

    def _owner(self, field: Field, name: str, value: YamlNode, owners: dict[str, str]) -> None:
        """A reference to the record this one stands in: nothing to keep, but it must be true."""
        if not isinstance(value, ScalarNode) or value.plain:
            self._add("wrong_type", f'"{name}" must be @parent:ID, or the id of its owner.', value.at)
            return
        text = value.text.strip().casefold()
        allowed = {"@parent:id", f"@parent:{name}".casefold(), "@parent:rubricversionid", "@parent:versionid"}
        if text not in allowed and text != owners.get(field.entity, "").casefold():
            self._add(
                "unknown_reference",
                f'"{name}" is "{value.text[:60]}"; this record stands in another of {title(field.entity)}. '
                "Write @parent:ID.",
                value.at,
            )

    def _lookup(self, made: MappingNode, field: Field, given: tuple[str, Position, YamlNode]) -> None:
        name, at, value = given
        if isinstance(value, ScalarNode) and value.plain and value.text == "null":
            return
        if not isinstance(value, ScalarNode) or value.plain:
            self._add(
                "wrong_type", f'"{name}" must be an id, or @lookup:{title(field.entity)}.Name=...', value.at
            )
            return
        if not value.text.startswith("@"):
            made.pairs[f"{field.to}_id"] = (at, folded(value))
            return
        match = _LOOKUP.fullmatch(value.text.strip())
        if match is None:
            wanted = f"@lookup:{title(field.entity)}.{'Label' if field.entity == LEVEL else 'Name'}=..."
            self._add("bad_reference", f'"{name}" is "{value.text[:60]}"; write {wanted}', value.at)
            return
        entity = entity_named(match["entity"])
        if entity is None or entity.name != field.entity:
            self._add(
                "unknown_entity",
                f'"{name}" looks in "{match["entity"][:60]}"; it must be {title(field.entity)}.',
                value.at,
            )
            return
        conditions, _, option = match["conditions"].partition("?")
        if option not in ("create", "allowDefer"):  # the mark is a part of the name
            conditions, option = match["conditions"], ""
        found = dict(part.split("=", 1) for part in re.split(r"&(?=[A-Za-z_]\w*=)", conditions))
        by = "Label" if field.entity == LEVEL else "Name"
        rest = set(found) - {by, "ID", *({"ScaleID", "RubricScaleID"} if field.entity == LEVEL else ())}
        if rest or not {by, "ID"} & set(found):
            unknown = f'not by "{min(rest)}"' if rest else "not by its scale alone"
            self._add(
                "bad_reference", f"{title(field.entity)} are looked up by {by} or ID, {unknown}.", value.at
            )
        elif "ID" in found:
            made.pairs[f"{field.to}_id"] = (at, folded(ScalarNode(value.at, found["ID"], False)))
        else:
            made.pairs[field.to] = (at, ScalarNode(value.at, found[by], False))
            if field.entity == CATEGORY and option != "create":
                self.categories.append((found[by], value.at))

    # -- related records -----------------------------------------------------------------------------

    def _related(
        self, made: MappingNode, record: MappingNode, entity: Entity, owners: dict[str, str]
    ) -> None:
        related = record.get("relatedEntities")
        if related is None:
            return
        if not isinstance(related, MappingNode):
            self._add("wrong_type", '"relatedEntities" must be an object of lists.', related.at)
            return
        for name, (at, value) in related.pairs.items():
            child = entity_named(name)
            if child is None or child.name not in entity.related:
                known = ", ".join(title(one) for one in entity.related)
                hint = f"There may be {known}." if known else "There may be none."
                self._add("unknown_entity", f'no records of "{name[:60]}" belong here. {hint}', at)
            elif not isinstance(value, SequenceNode):
                self._add("wrong_type", f'"{name}" must be a list of records.', value.at)
            elif child.name == VERSION:
                self._version(made, value, at, owners)
            else:
                rows = self._rows(value, child, owners, nested=entity.name == CRITERION)
                holder = (
                    "criteria" if child.name == CRITERION and entity.name == VERSION else _HOLDERS[child.name]
                )
                if child.name == CRITERION and entity.name == VERSION:
                    rows = nested(rows, self._findings)
                made.pairs[holder] = (at, list_of(value.at, in_order(rows, anchors=child.name == ANCHOR)))

    def _version(self, made: MappingNode, value: SequenceNode, at: Position, owners: dict[str, str]) -> None:
        if len(value.items) > 1:
            self._add(
                "too_many_versions", "a rubric is shipped with one version, its Draft.", value.items[1].at
            )
        for item in value.items[:1]:
            if not isinstance(item, MappingNode):
                self._add("wrong_type", "a record must be an object.", item.at)
                continue
            version = MappingNode(item.at)
            self._fill(version, item, ENTITIES[VERSION], owners=owners)
            made.pairs["version"] = (at, version)

    def _rows(
        self, value: SequenceNode, entity: Entity, owners: dict[str, str], *, nested: bool
    ) -> list[MappingNode]:
        rows = []
        for item in value.items:
            if not isinstance(item, MappingNode):
                self._add("wrong_type", "a record must be an object.", item.at)
                continue
            row = MappingNode(item.at)
            self._fill(row, item, entity, owners=owners)
            if entity.name == CRITERION and nested:
                self._parent_of_nested(row, owners)
            rows.append(row)
        return rows

    def _parent_of_nested(self, row: MappingNode, owners: dict[str, str]) -> None:
        """A criterion inside a criterion: its ParentID, when it is given, says the same."""
        pair = row.pairs.pop("parent_id", None)
        if pair is None:
            return
        node = pair[1]
        text = node.text.strip().casefold() if isinstance(node, ScalarNode) else ""
        if text not in ("@parent:id", owners.get(CRITERION, "").casefold()):
            self._add(
                "unknown_reference",
                '"ParentID" is not the criterion it stands in. Write @parent:ID.',
                node.at,
            )

    def _publication(self, document: MappingNode, record: MappingNode) -> None:
        """``{"fields": {"Status": "Published"}, "primaryKey": {"ID": ...}}`` asks to publish that version."""
        at, status = document.pairs.pop("status", (record.at, None))
        if not isinstance(status, ScalarNode) or status.text != "Published":
            self._add(
                "unknown_word",
                'a record of its own for a version asks to publish it: "Status" must be "Published". '
                "Drafts stand below their rubric.",
                status.at if status is not None else at,
            )
        version = document.pairs.pop("id", None)
        if version is not None:
            document.pairs["version_id"] = version


def _guessed(record: MappingNode) -> str | None:
    """The entity that only can be meant by what a record holds."""
    related, fields = record.get("relatedEntities"), record.get("fields")
    inside_ = set(related.pairs) if isinstance(related, MappingNode) else set()
    held = {entity.name for name in inside_ if (entity := entity_named(name)) is not None}
    names = set(fields.pairs) if isinstance(fields, MappingNode) else set()
    if VERSION in held:
        return RUBRIC
    if LEVEL in held or names & {"ScaleType", "MinValue", "HigherIsBetter"}:
        return SCALE
    return PUBLICATION if names == {"Status"} else None
