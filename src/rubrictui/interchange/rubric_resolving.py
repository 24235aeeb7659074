"""Scale and rubric shapes to documents: the tree in walk order, scales and levels found by their names."""

from __future__ import annotations

import difflib

from rubrictui.core.model import Anchor, Band, Level, Node, NodeType, Scale, ScaleType, VersionSnapshot
from rubrictui.core.records import Category
from rubrictui.interchange.building import Builder
from rubrictui.interchange.documents import CategoryFile, Publication, RubricFile, ScaleFile
from rubrictui.interchange.places import Places, Position
from rubrictui.interchange.resolving import Names, Resolver, choices
from rubrictui.interchange.shapes import (
    AnchorItem,
    AnchorText,
    CategoryDocument,
    CriterionShape,
    PublicationDocument,
    RubricDocument,
    ScaleDocument,
    VersionShape,
)


class RubricResolver(Resolver):
    """Scales, rubrics and publications of one file."""

    def category(self, shape: CategoryDocument) -> CategoryFile:
        self.check_format(shape)
        self.own_id("category", shape)
        category = Category(
            id=shape.id, name=shape.name, description=shape.description, sequence=shape.sequence
        )
        folded = shape.name.strip().casefold()
        if folded in self.names.categories:
            self.error("duplicate_name", f'there are two categories named "{shape.name}".', shape, "name")
        self.names.categories.setdefault(folded, category)
        self.names.categories.setdefault(shape.id, category)
        return CategoryFile(category=category)

    def _category(self, shape: RubricDocument) -> str | None:
        """The name of a rubric's category."""
        if shape.category_id is None:
            return shape.category
        if shape.category is not None:
            self.error("conflict", 'give "category" or "category_id", not both.', shape, "category_id")
        found = self.names.category(shape.category_id)
        if found is None and shape.category_id not in self.names.broken:
            self.error(
                "unknown_category",
                f'there is no category "{shape.category_id}". Give its file too, or load it first.',
                shape,
                "category_id",
            )
        return found.name if found else None

    def scale(self, shape: ScaleDocument, *, damaged: bool = False) -> ScaleFile:
        if damaged:
            self.names.damaged.add(shape.id)
        self.check_format(shape)
        self.own_id("scale", shape)
        labels: set[str] = set()
        for level in shape.levels:
            self.own_id("level", level)
            if level.label in labels:
                self.error("duplicate_label", f'the level "{level.label}" is given twice.', level, "label")
            labels.add(level.label)
        if shape.scale_type is ScaleType.LEVELS:
            if not shape.levels and not damaged:
                self.error("no_levels", f'the scale "{shape.name}" has no levels.', shape, "levels")
        else:
            self._numeric(shape)
        levels = tuple(
            Level(
                id=level.id,
                label=level.label,
                value=level.value,
                normalized_value=level.normalized_value,
                description=level.description,
                sequence=index if level.sequence is None else level.sequence,
            )
            for index, level in enumerate(shape.levels)
        )
        scale = Scale(
            id=shape.id,
            name=shape.name,
            description=shape.description,
            scale_type=shape.scale_type,
            min_value=shape.min_value,
            max_value=shape.max_value,
            step=shape.step,
            higher_is_better=shape.higher_is_better,
            levels=levels,
        )
        if scale.name in self.names.scales_by_name:
            self.error("duplicate_name", f'there are two scales named "{scale.name}".', shape, "name")
        self.names.scales_by_name.setdefault(shape.name, scale)
        self.names.scales_by_id.setdefault(scale.id, scale)
        return ScaleFile(scale=scale)

    def _numeric(self, shape: ScaleDocument) -> None:
        for field in ("min_value", "max_value"):
            if getattr(shape, field) is None and not self.builder.gives(shape, field):
                self.error(
                    "missing_field", f'the numeric scale "{shape.name}" needs "{field}".', shape, field
                )
        if shape.min_value is not None and shape.max_value is not None and shape.min_value >= shape.max_value:
            self.error(
                "out_of_range",
                f'"max_value" must be more than "min_value" ({shape.min_value:g}), not {shape.max_value:g}.',
                shape,
                "max_value",
            )

    def rubric(self, shape: RubricDocument, *, damaged: bool = False) -> tuple[RubricFile, Places]:
        if damaged:
            self.names.damaged.add(shape.version.id)
        self.check_format(shape)
        self.own_id("rubric", shape)
        version = shape.version
        self.own_id("version", version)
        if version.status != "Draft":
            self.error(
                "computed_field",
                f'"status" can only be Draft, not "{version.status}". Publish with a publication document.',
                version,
                "status",
            )
        tree = _Tree(self, self.names, self.builder)
        tree.grow(version.criteria, None)
        bands = self._bands(version, tree)
        snapshot = VersionSnapshot(
            id=version.id,
            rubric_id=shape.id,
            rubric_name=shape.name,
            instructions=version.instructions,
            pass_threshold=version.pass_threshold,
            minimum_completeness=version.minimum_completeness,
            not_applicable_policy=version.not_applicable_policy,
            score_display_min=version.score_display_min,
            score_display_max=version.score_display_max,
            nodes=tuple(tree.nodes),
            scales=tuple(tree.scales.values()),
            bands=bands,
        )
        tree.mark("", version)
        document = RubricFile(
            id=shape.id,
            name=shape.name,
            category=self._category(shape),
            description=shape.description,
            snapshot=snapshot,
        )
        folded = shape.name.strip().casefold()
        if folded in self.names.rubrics:
            self.error("duplicate_name", f'there are two rubrics named "{shape.name}".', shape, "name")
        self.names.rubrics.setdefault(folded, document)
        self.names.versions_by_id.setdefault(version.id, document)
        return document, Places(file=self.findings.file, parts=tree.parts, fields=tree.fields)

    def _bands(self, version: VersionShape, tree: _Tree) -> tuple[Band, ...]:
        bands: list[Band] = []
        for index, band in enumerate(version.bands):
            self.own_id("band", band)
            tree.mark(band.id, band)
            if band.min_score > band.max_score:
                self.error(
                    "out_of_range",
                    f'"max_score" of band "{band.label}" is below its "min_score" ({band.min_score:g}).',
                    band,
                    "max_score",
                )
            bands.append(
                Band(
                    id=band.id,
                    label=band.label,
                    description=band.description,
                    min_score=band.min_score,
                    max_score=band.max_score,
                    display_tone=band.display_tone,
                    sequence=index if band.sequence is None else band.sequence,
                )
            )
        return tuple(bands)

    def publication(self, shape: PublicationDocument) -> tuple[Publication, Places]:
        self.check_format(shape)
        in_files = self.names.versions_by_id.get(shape.version_id)
        stored = self.names.stored_version(shape.version_id) if in_files is None else None
        owner = in_files.name if in_files else stored.rubric_name if stored else None
        if owner is None:
            self._unknown_version(shape)
        elif shape.rubric is not None and shape.rubric.strip().casefold() != owner.strip().casefold():
            # The id decides; the name is for people, and rubrics are renamed.
            self.warn(
                "other_name",
                f'{shape.version_id} is a version of "{owner}". Write that name, or another id.',
                shape,
                "rubric",
            )
        publication = Publication(
            rubric=shape.rubric or owner or shape.version_id,
            version_id=shape.version_id,
            bump=shape.bump,
            summary=shape.summary,
        )
        place = self.builder.place(shape, "version_id")
        parts = {"": self.builder.place(shape)}
        return publication, Places(file=self.findings.file, parts=parts, fields={("", "version_id"): place})

    def _unknown_version(self, shape: PublicationDocument) -> None:
        """A version that no file defines: an error with a store to ask; without, it may be there already."""
        named = self.names.rubrics.get((shape.rubric or "").strip().casefold())
        if shape.rubric is not None and named is None and self.known_version(shape.rubric, shape) is None:
            return
        if named is not None and named.snapshot.id in self.names.damaged:
            return
        has = f'the version of "{named.name}" in these files is {named.snapshot.id}' if named else ""
        if self.names.knows_rubrics:
            where = (
                f"{has}. Write that, or remove the record."
                if has
                else "Correct it, or give the rubric's file too."
            )
            self.error(
                "unknown_version", f"there is no version {shape.version_id}; {where}", shape, "version_id"
            )
            return
        where = f"{has}; " if has else "it is not in these files; "
        self.warn(
            "unknown_version",
            f"{where}{shape.version_id} must be in the store already, and published.",
            shape,
            "version_id",
        )


class _Tree:
    """The criteria of a rubric as nodes in walk order, the scales they use, and where each stands."""

    def __init__(self, resolver: Resolver, names: Names, builder: Builder) -> None:
        self._resolver = resolver
        self.names = names
        self.builder = builder
        self.nodes: list[Node] = []
        self.scales: dict[str, Scale] = {}
        self.parts: dict[str, Position] = {}
        self.fields: dict[tuple[str, str], Position] = {}
        self._keys: dict[str, CriterionShape] = {}

    def mark(self, part: str, shape: object) -> None:
        """Remember where a part and its fields stand."""
        self.parts[part] = self.builder.place(shape)
        for field in self.builder.node_of(shape).pairs:
            self.fields[part, field] = self.builder.place(shape, field)

    def grow(self, criteria: tuple[CriterionShape, ...], parent_id: str | None) -> None:
        for index, shape in enumerate(criteria):
            self._node(shape, parent_id, index)

    def _node(self, shape: CriterionShape, parent_id: str | None, index: int) -> None:
        resolver = self._resolver
        resolver.own_id("criterion", shape)
        key = shape.key.strip()
        if key in self._keys:
            line = self.builder.place(self._keys[key], "key")[0]
            resolver.error(
                "duplicate_criterion", f'the key "{shape.key}" was used before, on line {line}.', shape, "key"
            )
        self._keys.setdefault(key, shape)
        self.mark(shape.id, shape)
        node_type = shape.node_type or (NodeType.GROUP if shape.children else NodeType.CRITERION)
        if node_type is NodeType.CRITERION and shape.children:
            resolver.error(
                "criterion_with_children",
                f'"{shape.key}" is a Criterion and has children. Make it a Group, or move them out.',
                shape,
                "children",
            )
        scale = self._scale(shape)
        self.nodes.append(
            Node(
                id=shape.id,
                key=shape.key,
                parent_id=parent_id,
                name=shape.name,
                description=shape.description,
                guidance=shape.guidance,
                node_type=node_type,
                scale_id=scale.id if scale else None,
                weight=shape.weight,
                is_advisory=shape.is_advisory,
                is_gate=shape.is_gate,
                gate_minimum_score=shape.gate_minimum_score,
                not_applicable_policy=shape.not_applicable_policy,
                rollup_method=shape.rollup_method,
                evidence_required=shape.evidence_required,
                rationale_required=shape.rationale_required,
                sequence=index if shape.sequence is None else shape.sequence,
                evaluator_config=shape.evaluator_config,
                anchors=self._anchors(shape, scale),
            )
        )
        self.grow(shape.children, shape.id)

    def _scale(self, shape: CriterionShape) -> Scale | None:
        if shape.scale is not None and shape.scale_id is not None:
            self._resolver.error("conflict", 'give "scale" or "scale_id", not both.', shape, "scale_id")
        field = "scale" if shape.scale is not None else "scale_id"
        wanted = shape.scale if shape.scale is not None else shape.scale_id
        if wanted is None:
            return None
        scale = self.names.scale(name=shape.scale, scale_id=shape.scale_id)
        if scale is None and wanted in self.names.broken:
            return None
        if scale is None:
            known = sorted(self.names.scales_by_name if field == "scale" else self.names.scales_by_id)
            close = difflib.get_close_matches(wanted, known, n=1)
            hint = f'Did you mean "{close[0]}"?' if close else "Give its file too, or load it first."
            self._resolver.error("unknown_scale", f'there is no scale "{wanted}". {hint}', shape, field)
            return None
        self.scales.setdefault(scale.id, scale)
        return scale

    def _anchors(self, shape: CriterionShape, scale: Scale | None) -> tuple[Anchor, ...]:
        if not shape.anchors:
            return ()
        items: list[tuple[AnchorItem | CriterionShape, str | None, AnchorItem]]
        if isinstance(shape.anchors, tuple):
            items = [(item, self._label(item, shape, scale), item) for item in shape.anchors]
        else:
            items = [(shape, label, _item(text)) for label, text in shape.anchors.items()]
        levels = {level.label: level.id for level in scale.levels} if scale else {}
        checked = scale is not None and scale.id not in self.names.damaged
        anchors: list[Anchor] = []
        seen: set[str] = set()
        for place, label, item in items:
            if label is not None and label in seen:
                self._refuse_anchor("duplicate_label", f'"{label}" has two anchors.', shape, place, label)
            elif label is not None and checked and scale is not None and label not in levels:
                self._refuse_anchor(
                    "unknown_level",
                    f'the scale "{scale.name}" of "{shape.key}" has no level "{label}". {choices(list(levels))}',
                    shape,
                    place,
                    label,
                )
            elif label is not None:
                seen.add(label)
            anchors.append(
                Anchor(
                    scale_level_id=levels.get(label) if label is not None else None,
                    anchor_value=item.anchor_value,
                    descriptor=item.descriptor,
                )
            )
        given = any(self.builder.gives(shape, field) for field in ("scale", "scale_id"))
        if scale is None and not given:
            self._resolver.error(
                "no_scale", f'"{shape.key}" has anchors and no scale. Give it a "scale".', shape, "anchors"
            )
        return tuple(anchors)

    def _label(self, item: AnchorItem, shape: CriterionShape, scale: Scale | None) -> str | None:
        """The label of the level that an anchor in list form is for."""
        if item.level_id is None:
            return item.level
        if item.level is not None:
            self._resolver.error("conflict", 'give "level" or "level_id", not both.', item, "level_id")
        labels = {level.id: level.label for level in scale.levels} if scale else {}
        if item.level_id not in labels and scale is not None and scale.id not in self.names.damaged:
            self._resolver.error(
                "unknown_level",
                f'the scale "{scale.name}" of "{shape.key}" has no level with the id "{item.level_id}".',
                item,
                "level_id",
            )
        return labels.get(item.level_id)

    def _refuse_anchor(
        self, code: str, message: str, shape: CriterionShape, place: object, label: str
    ) -> None:
        """Report at the label itself, which in mapping form is a key."""
        if place is not shape:
            self._resolver.error(code, message, place, "level")
            return
        anchors = self.builder.node_of(shape).get("anchors")
        pairs = getattr(anchors, "pairs", {})
        at = pairs[label][0] if label in pairs else self.builder.place(shape, "anchors")
        self._resolver.findings.add(code, message, at)


def _item(text: str | AnchorText) -> AnchorItem:
    if isinstance(text, str):
        return AnchorItem(descriptor=text)
    return AnchorItem(descriptor=text.descriptor, anchor_value=text.anchor_value)
