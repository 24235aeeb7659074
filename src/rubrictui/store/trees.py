"""The tree of a version: read whole, written whole or only what has changed. What is frozen, the triggers refuse.

The statements of a change are built once for each set of columns: an author's every key is saved through them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Connection, Table, Update, bindparam, delete, insert, select, update

from rubrictui.core.model import (
    Anchor,
    Band,
    Node,
    NodeType,
    NotApplicablePolicy,
    RollupMethod,
    VersionSnapshot,
    VersionStatus,
)
from rubrictui.store.scales import load_scales
from rubrictui.store.tables import BAND, CRITERION, CRITERION_LEVEL, RUBRIC, VERSION

_HEADER_COLUMNS: dict[str, Callable[[Any], Any]] = {
    "instructions": lambda value: value,
    "pass_threshold": lambda value: value,
    "minimum_completeness": lambda value: value,
    "not_applicable_policy": lambda value: value.value,
    "score_display_min": lambda value: value,
    "score_display_max": lambda value: value,
}

#: The fields of a version snapshot that its own row holds and an author changes.
HEADER = tuple(_HEADER_COLUMNS)

#: The columns of a node that a save may change, each with how to take it from the node.
NODE_COLUMNS: dict[str, Callable[[Node], Any]] = {
    "parent_id": lambda node: node.parent_id or None,
    "key": lambda node: node.key.strip(),
    "name": lambda node: node.name,
    "description": lambda node: node.description,
    "guidance": lambda node: node.guidance,
    "node_type": lambda node: node.node_type.value,
    "scale_id": lambda node: node.scale_id or None,
    "weight": lambda node: node.weight,
    "is_advisory": lambda node: node.is_advisory,
    "is_gate": lambda node: node.is_gate,
    "gate_minimum_score": lambda node: node.gate_minimum_score,
    "not_applicable_policy": lambda node: (
        node.not_applicable_policy.value if node.not_applicable_policy else None
    ),
    "rollup_method": lambda node: node.rollup_method.value if node.rollup_method else None,
    "evidence_required": lambda node: node.evidence_required,
    "rationale_required": lambda node: node.rationale_required,
    "sequence": lambda node: node.sequence,
    "evaluator_config": lambda node: node.evaluator_config,
}


# -- reading -----------------------------------------------------------------------------------------


def load_snapshot(connection: Connection, version_id: str) -> VersionSnapshot | None:
    """One version, whole: nodes in walk order, the scales they use by name, bands in their order."""
    row = connection.execute(
        select(VERSION, RUBRIC.c.name.label("rubric_name"))
        .select_from(VERSION.join(RUBRIC, RUBRIC.c.id == VERSION.c.rubric_id))
        .where(VERSION.c.id == version_id)
    ).first()
    if row is None:
        return None
    nodes = _load_nodes(connection, version_id)
    return VersionSnapshot(
        id=row.id,
        rubric_id=row.rubric_id,
        rubric_name=row.rubric_name,
        major_version=row.major_version,
        minor_version=row.minor_version,
        patch_version=row.patch_version,
        status=VersionStatus(row.status),
        instructions=row.instructions,
        pass_threshold=row.pass_threshold,
        minimum_completeness=row.minimum_completeness,
        not_applicable_policy=NotApplicablePolicy(row.not_applicable_policy),
        score_display_min=row.score_display_min,
        score_display_max=row.score_display_max,
        nodes=nodes,
        scales=load_scales(connection, {node.scale_id for node in nodes if node.scale_id}),
        bands=_load_bands(connection, version_id),
    )


_NODE_FIELDS = (*NODE_COLUMNS, "id")
_NODE_TYPES = {one.value: one for one in NodeType}
_POLICIES: dict[str | None, NotApplicablePolicy | None] = {one.value: one for one in NotApplicablePolicy}
_ROLLUPS: dict[str | None, RollupMethod | None] = {one.value: one for one in RollupMethod}


def _load_nodes(connection: Connection, version_id: str) -> tuple[Node, ...]:
    anchors: dict[str, list[Anchor]] = defaultdict(list)
    for criterion_id, level_id, value, text in connection.execute(
        select(
            CRITERION_LEVEL.c.criterion_id,
            CRITERION_LEVEL.c.scale_level_id,
            CRITERION_LEVEL.c.anchor_value,
            CRITERION_LEVEL.c.descriptor,
        )
        .select_from(CRITERION_LEVEL.join(CRITERION, CRITERION.c.id == CRITERION_LEVEL.c.criterion_id))
        .where(CRITERION.c.version_id == version_id)
        .order_by(CRITERION_LEVEL.c.sequence)
    ).all():
        anchors[criterion_id].append(Anchor(scale_level_id=level_id, anchor_value=value, descriptor=text))
    children: dict[str | None, list[Node]] = defaultdict(list)
    for row in connection.execute(
        select(*(CRITERION.c[field] for field in _NODE_FIELDS))
        .where(CRITERION.c.version_id == version_id)
        .order_by(CRITERION.c.sequence, CRITERION.c.key)
    ).all():
        # A tree may have thousands of nodes: a row is taken as it comes, not by one attribute after another.
        fields = dict(zip(_NODE_FIELDS, row, strict=True))
        fields["node_type"] = _NODE_TYPES[fields["node_type"]]
        fields["not_applicable_policy"] = _POLICIES.get(fields["not_applicable_policy"])
        fields["rollup_method"] = _ROLLUPS.get(fields["rollup_method"])
        children[fields["parent_id"]].append(Node(**fields, anchors=tuple(anchors.get(fields["id"], ()))))
    return tuple(_walk(children, None))


def _walk(children: Mapping[str | None, Sequence[Node]], root: str | None) -> Iterable[Node]:
    """Depth first. The stack is ours: a tree may be deeper than the interpreter recurses."""
    stack = list(reversed(children.get(root, ())))
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(children.get(node.id, ())))


def _load_bands(connection: Connection, version_id: str) -> tuple[Band, ...]:
    rows = connection.execute(
        select(BAND).where(BAND.c.version_id == version_id).order_by(BAND.c.sequence, BAND.c.id)
    )
    return tuple(
        Band(
            id=row.id,
            label=row.label,
            description=row.description,
            min_score=row.min_score,
            max_score=row.max_score,
            display_tone=row.display_tone,
            sequence=row.sequence,
        )
        for row in rows
    )


# -- the whole ---------------------------------------------------------------------------------------


def replace_tree(
    connection: Connection,
    snapshot: VersionSnapshot,
    *,
    revision: int,
    new_id: Callable[[], str],
    saved_at: datetime | None = None,
    saved_by: str | None = None,
) -> None:
    """Write ``snapshot`` over the draft with its id: header, nodes, anchors and bands.

    ``nodes`` come parents before children. Only anchors get new ids.
    """
    header = {field: getattr(snapshot, field) for field in HEADER}
    put_header(connection, snapshot.id, header, revision=revision, saved_at=saved_at, saved_by=saved_by)
    clear_tree(connection, snapshot.id)
    add_nodes(connection, snapshot.id, snapshot.nodes, new_id=new_id)
    put_bands(connection, snapshot.id, added=snapshot.bands)


def clear_tree(connection: Connection, version_id: str) -> None:
    """Delete the nodes, anchors and bands of a draft."""
    nodes = select(CRITERION.c.id).where(CRITERION.c.version_id == version_id)
    connection.execute(delete(CRITERION_LEVEL).where(CRITERION_LEVEL.c.criterion_id.in_(nodes)))
    connection.execute(delete(CRITERION).where(CRITERION.c.version_id == version_id))
    connection.execute(delete(BAND).where(BAND.c.version_id == version_id))


# -- what has changed --------------------------------------------------------------------------------


def put_header(
    connection: Connection,
    version_id: str,
    header: Mapping[str, Any],
    *,
    revision: int,
    saved_at: datetime | None,
    saved_by: str | None,
) -> None:
    """Set these fields of the version, with the revision that the save makes."""
    values = {field: _HEADER_COLUMNS[field](value) for field, value in header.items()}
    values |= {"revision": revision, "saved_at": saved_at, "saved_by": saved_by}
    connection.execute(_changing(VERSION, tuple(values)), [{"of": version_id, **_new(values)}])


def add_nodes(
    connection: Connection, version_id: str, nodes: Sequence[Node], *, new_id: Callable[[], str]
) -> None:
    """Insert nodes, parents before children, with their anchors."""
    if nodes:
        connection.execute(insert(CRITERION), [_node_row(version_id, node) for node in nodes])
        _add_anchors(connection, nodes, new_id)


def park_keys(connection: Connection, ids: Iterable[str]) -> None:
    """Free the keys of these nodes for others. No author's key begins with a blank, so none is in the way."""
    rows = [{"of": id, "new_key": f" {id}"} for id in ids]
    if rows:
        connection.execute(_changing(CRITERION, ("key",)), rows)


def change_nodes(
    connection: Connection, version_id: str, changes: Iterable[tuple[str, Mapping[str, Any]]]
) -> bool:
    """Set these columns of these nodes of the version; False when one of them is not there.

    Nothing is undone then: the caller writes the whole, or leaves the transaction.
    """
    alike: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for id, columns in changes:
        if columns:
            alike.setdefault(tuple(columns), []).append({"of": id, "of_version": version_id, **_new(columns)})
    found = True
    for names, rows in alike.items():
        changed = connection.execute(_changing_nodes(names), rows)
        found = found and changed.rowcount == len(rows)
    return found


def rewrite_anchors(connection: Connection, nodes: Sequence[Node], *, new_id: Callable[[], str]) -> None:
    """Put these nodes' anchors in the place of the stored ones."""
    if nodes:
        _delete_where(connection, CRITERION_LEVEL, "criterion_id", [node.id for node in nodes])
        _add_anchors(connection, nodes, new_id)


def remove_nodes(connection: Connection, ids: Sequence[str]) -> None:
    """Delete nodes, children before parents, with their anchors."""
    _delete_where(connection, CRITERION_LEVEL, "criterion_id", ids)
    _delete_where(connection, CRITERION, "id", ids)


def put_bands(
    connection: Connection,
    version_id: str,
    *,
    added: Sequence[Band] = (),
    changed: Sequence[Band] = (),
    removed: Collection[str] = (),
) -> None:
    """Insert, change and delete bands of the version."""
    _delete_where(connection, BAND, "id", removed)
    for band in changed:
        row = _band_row(version_id, band)
        del row["id"], row["version_id"]
        connection.execute(_changing(BAND, tuple(row)), [{"of": band.id, **_new(row)}])
    if added:
        connection.execute(insert(BAND), [_band_row(version_id, band) for band in added])


@cache
def _changing(table: Table, columns: tuple[str, ...]) -> Update:
    """``UPDATE`` of these columns of the row with the id ``of``; a parameter is named ``new_`` and its column."""
    values = {column: bindparam(f"new_{column}", type_=table.c[column].type) for column in columns}
    return update(table).where(table.c.id == bindparam("of")).values(values)


@cache
def _changing_nodes(columns: tuple[str, ...]) -> Update:
    return _changing(CRITERION, columns).where(CRITERION.c.version_id == bindparam("of_version"))


def _new(values: Mapping[str, Any]) -> dict[str, Any]:
    return {f"new_{column}": value for column, value in values.items()}


def _delete_where(connection: Connection, table: Table, column: str, values: Collection[str]) -> None:
    if values:
        connection.execute(_deleting(table, column), [{"of": value} for value in values])


@cache
def _deleting(table: Table, column: str) -> Any:
    return delete(table).where(table.c[column] == bindparam("of"))


# -- rows --------------------------------------------------------------------------------------------


def _add_anchors(connection: Connection, nodes: Iterable[Node], new_id: Callable[[], str]) -> None:
    anchors = [
        {
            "id": new_id(),
            "criterion_id": node.id,
            "scale_level_id": anchor.scale_level_id,
            "anchor_value": anchor.anchor_value,
            "descriptor": anchor.descriptor,
            "sequence": position,
        }
        for node in nodes
        for position, anchor in enumerate(node.anchors)
    ]
    if anchors:
        connection.execute(insert(CRITERION_LEVEL), anchors)


def _node_row(version_id: str, node: Node) -> dict[str, Any]:
    row = {column: get(node) for column, get in NODE_COLUMNS.items()}
    return {"id": node.id, "version_id": version_id, **row}


def _band_row(version_id: str, band: Band) -> dict[str, Any]:
    return {
        "id": band.id,
        "version_id": version_id,
        "label": band.label,
        "description": band.description,
        "min_score": band.min_score,
        "max_score": band.max_score,
        "display_tone": band.display_tone,
        "sequence": band.sequence,
    }


_NODES_ELSEWHERE = select(CRITERION.c.id).where(
    CRITERION.c.id.in_(bindparam("ids", expanding=True)), CRITERION.c.version_id != bindparam("version")
)
_BANDS_ELSEWHERE = select(BAND.c.id).where(
    BAND.c.id.in_(bindparam("ids", expanding=True)), BAND.c.version_id != bindparam("version")
)


def ids_of_other_versions(
    connection: Connection, version_id: str, *, nodes: Sequence[str], bands: Sequence[str]
) -> set[str]:
    """Those of these node and band ids that another stored version owns."""
    taken: set[str] = set()
    for query, ids in ((_NODES_ELSEWHERE, nodes), (_BANDS_ELSEWHERE, bands)):
        for start in range(0, len(ids), 500):
            chunk = {"ids": ids[start : start + 500], "version": version_id}
            taken.update(row[0] for row in connection.execute(query, chunk))
    return taken
