"""An episode: one person's work on a matter, action by action, scored as it goes (contract, "Steps").

An action is a mapping with a ``type``. Whatever is wrong with one is answered with an error result and a small cost;
the episode goes on. The same matter, seed and actions give the same trace.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rubrictui.matters import observation as view
from rubrictui.matters.errors import EpisodeEnded, GateTimeoutError
from rubrictui.matters.events import Event, raw_score
from rubrictui.matters.final import score_final
from rubrictui.matters.issues import score_issue
from rubrictui.matters.loading import Matter
from rubrictui.matters.negotiation import Reply, accept_counter, send_markup, table_of_label
from rubrictui.matters.outcomes import (
    Action,
    Outcome,
    Result,
    acknowledged,
    error,
    field_error,
    no_redline_target,
    wrong_type,
)
from rubrictui.matters.questions import ESCALATION, QUESTION, score_ask
from rubrictui.matters.redlines import score_redline
from rubrictui.matters.results import episode_result
from rubrictui.matters.searching import search
from rubrictui.matters.sections import FULL
from rubrictui.matters.spans import WrittenText
from rubrictui.matters.state import State
from rubrictui.matters.submissions import (
    FieldProblem,
    IssueSubmission,
    RedlineSubmission,
    Submission,
    read_issue,
    read_markup,
    read_redline,
    text_or_number,
)

SHORTEST_QUERY = 3
"""Characters of a search."""


class Episode:
    """Work on a matter, from the first reading to the final submission.

    >>> episode = Episode(matter)  # doctest: +SKIP
    >>> observation, reward, terminated, truncated, info = episode.step(
    ...     {"type": "read_document", "document_id": "msa"}
    ... )  # doctest: +SKIP

    Attributes:
        matter: what is worked on.
        seed: kept with the result. Nothing here is random, so it changes nothing else.
        steps: actions taken.
        terminated: the final submission is in. ``truncated``: the steps ran out before it.
        rewards: one per step.
    """

    def __init__(self, matter: Matter, seed: int = 0) -> None:
        """
        Raises:
            InvalidInputError: the matter has problems; the message is the first, with its place.
        """
        matter.require_playable()
        self.matter = matter
        self.seed = seed
        self.steps = 0
        self.terminated = False
        self.truncated = False
        self.rewards: list[float] = []
        self._aborted: GateTimeoutError | None = None
        self._limits = matter.constraints
        self._fixed = matter.fixed_observation
        self._state = State(matter.plan)
        self._observation = self._observe(None)

    @property
    def ended(self) -> bool:
        return self.terminated or self.truncated

    @property
    def observation(self) -> dict[str, Any]:
        """What is shown now: plain JSON values. The one ``step`` gave last, or the first one."""
        return self._observation

    @property
    def budgets(self) -> dict[str, int | None]:
        """What is left: ``steps``, ``questions``, ``escalations``, ``rounds`` (None without positions)."""
        limits, state = self._limits, self._state
        return {
            "steps": limits.maximum_steps - self.steps,
            "questions": limits.maximum_client_questions - len(state.questions),
            "escalations": limits.maximum_escalations - len(state.escalations),
            "rounds": limits.maximum_negotiation_rounds - state.rounds_used
            if state.plan.has_negotiation
            else None,
        }

    def step(self, action: Any) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Carry out one action.

        Args:
            action: a mapping with ``type`` and the fields of that type (``observation["actions"]``).

        Returns:
            observation, reward, terminated, truncated, info. ``info`` holds what the observation must not:
            ``event`` (None for an action without one), ``events`` (every event this step added to the
            trace), ``valid``, ``raw_score`` so far. Events are the trace itself: treat them as frozen.

        Raises:
            EpisodeEnded: the episode had ended before.
            GateTimeoutError: a critical-failure pattern ran out of time; the episode is over, unscored.
        """
        if self._aborted is not None:
            raise self._aborted
        if self.ended:
            raise EpisodeEnded(
                "the episode has ended: nothing can be done after the final submission or the last step.",
                remedy="Begin a new episode.",
            )
        kept = len(self._state.events)
        self.steps += 1
        try:
            outcome = self._carry_out(action)
        except GateTimeoutError as out_of_time:
            self._aborted = out_of_time
            raise
        result = outcome.result
        if self.steps >= self._limits.maximum_steps and not self.terminated:
            self.truncated = True
            result = {
                "kind": "error",
                "code": "step_budget",
                "message": "The steps are used up; the episode ends without a final submission.",
            }
        self.rewards.append(outcome.reward)
        self._observation = self._observe(result)
        # A revision takes all that submissions earned out of the trace and adds it anew.
        rescored = outcome.event.get("rescored") if outcome.event is not None else None
        info = {
            "event": outcome.event,
            "events": list(rescored) if rescored is not None else self._state.events[kept:],
            "valid": outcome.valid,
            "raw_score": round(raw_score(self._state.events), 4),
        }
        return self._observation, outcome.reward, self.terminated, self.truncated, info

    def result(self) -> dict[str, Any]:
        """The score and the trace so far, final once the episode has ended (``results.episode_result``).

        Raises:
            GateTimeoutError: the episode was aborted, so that there is no score.
        """
        if self._aborted is not None:
            raise self._aborted
        return episode_result(self, self._state)

    def _carry_out(self, action: Any) -> Outcome:
        kind = action.get("type") if isinstance(action, Mapping) else None
        handler = _HANDLERS.get(kind) if isinstance(kind, str) else None
        if handler is None:
            known = ", ".join(view.action_types(has_negotiation=self._state.plan.has_negotiation))
            message = f"There is no such action. Actions are {known}."
            return error("unknown_action", message)
        return handler(self, action)

    def _observe(self, last_result: Result | None) -> dict[str, Any]:
        return view.observe(
            self._fixed,
            self._state,
            step=self.steps,
            ended=self.ended,
            budgets=self.budgets,
            last_result=last_result,
        )

    # Reading

    def _read_document(self, action: Action) -> Outcome:
        document_id = action.get("document_id")
        document = self.matter.documents.get(document_id) if isinstance(document_id, str) else None
        if document is None:
            return error("unknown_document", "There is no such document.")
        section: str | None = None
        text = document.text
        if action.get("section") is None:
            for token in document.sections:
                self._state.mark_read((document.id, token))
        else:
            section = text_or_number(action["section"])
            if section is None:
                return wrong_type("section")
            if section not in document.sections:
                return error(
                    "unknown_section",
                    f"{document.id} has no such section.",
                    available=[*document.tokens, FULL],
                )
            self._state.mark_read((document.id, section))
            text = document.sections[section]
        digest = self._state.plan.digests[document.id, section]
        return Outcome(
            {
                "kind": "read",
                "document_id": document.id,
                "section": action.get("section"),
                "text": text,
                "chars": len(text),
                "sha256_12": digest,
            }
        )

    def _search_matter(self, action: Action) -> Outcome:
        query = action.get("query")
        query = query.strip().lower() if isinstance(query, str) else ""
        if len(query) < SHORTEST_QUERY:
            message = f"Search for at least {SHORTEST_QUERY} characters."
            return error("short_query", message)
        return Outcome(search(self._state.plan, query))

    # Asking

    def _ask_client(self, action: Action) -> Outcome:
        state = self._state
        if len(state.questions) >= self._limits.maximum_client_questions:
            return error("question_budget", "No questions are left.")
        question = action.get("question")
        if not isinstance(question, str) or not question.strip():
            return error("empty_question", "Ask something: question is empty.")
        state.questions.append(question)
        text = WrittenText(("question", question))
        event, ask = score_ask(QUESTION, state.plan.questions, text, "question", state.asked)
        state.events.append(event)
        if ask is None or ask.answer is None:
            result = {"kind": "no_answer", "message": "The client has no information that bears on this."}
            return Outcome(result, event["points"], event, False)
        state.learned[ask.id] = ask.answer
        return Outcome({"kind": "answer", "answer": ask.answer}, event["points"], event)

    def _escalate(self, action: Action) -> Outcome:
        state = self._state
        if len(state.escalations) >= self._limits.maximum_escalations:
            return error("escalation_budget", "No escalations are left.")
        topic, reason = action.get("topic"), action.get("reason")
        if not (isinstance(topic, str) and topic.strip() and isinstance(reason, str) and reason.strip()):
            return error("empty_escalation", "An escalation needs a topic and a reason.")
        state.escalations.append({"topic": topic, "reason": reason})
        text = WrittenText(("topic", topic), ("reason", reason))
        event, ask = score_ask(ESCALATION, state.plan.escalations, text, "topic", state.raised)
        state.events.append(event)
        if ask is None or ask.answer is None:
            result = {"kind": "neutral_guidance", "topic": topic, "message": "Noted. Use your judgement."}
            return Outcome(result, event["points"], event, False)
        state.learned[ask.id] = ask.answer
        result = {"kind": "guidance", "topic": topic, "guidance": ask.answer}
        return Outcome(result, event["points"], event)

    # Issues and redlines

    def _submit_issue(self, action: Action) -> Outcome:
        read = read_issue(action)
        return field_error(read) if isinstance(read, FieldProblem) else self._submit(read, action)

    def _propose_redline(self, action: Action) -> Outcome:
        read = read_redline(action)
        if isinstance(read, FieldProblem):
            return field_error(read)
        return self._submit(read, action) if self._target_exists(read) else no_redline_target()

    def _target_exists(self, redline: RedlineSubmission) -> bool:
        return (redline.document_id, redline.section) in self._state.plan.sections

    def _submit(self, submission: Submission, action: Action) -> Outcome:
        event = self._score(submission)
        self._state.submissions.append(submission)
        self._state.events.append(event)
        return Outcome(acknowledged(action), event["points"], event)

    def _score(self, submission: Submission) -> Event:
        if isinstance(submission, IssueSubmission):
            return score_issue(self._state, submission)
        return score_redline(self._state, submission)

    def _revise_issue(self, action: Action) -> Outcome:
        read = read_issue(action)
        if isinstance(read, FieldProblem):
            return field_error(read)
        return self._revise(
            action, read, lambda other: isinstance(other, IssueSubmission) and other.label == read.label
        )

    def _revise_redline(self, action: Action) -> Outcome:
        read = read_redline(action)
        if isinstance(read, FieldProblem):
            return field_error(read)
        if not self._target_exists(read):
            return no_redline_target()
        return self._revise(
            action,
            read,
            lambda other: (
                isinstance(other, RedlineSubmission)
                and (other.label, other.document_id, other.section)
                == (read.label, read.document_id, read.section)
            ),
        )

    def _revise(self, action: Action, revised: Submission, is_same: Callable[[Submission], bool]) -> Outcome:
        """Put a revision in the place of the first submission it revises, and score all of them again in
        that order with what has been read by now."""
        state = self._state
        index = next((at for at, other in enumerate(state.submissions) if is_same(other)), None)
        if index is None:
            message = "There is nothing with this label to revise."
            return error("no_revision_target", message)
        before = raw_score(state.events)
        state.submissions[index] = revised
        state.forget_matches()
        rescored = []
        for submission in state.submissions:
            event = self._score(submission)
            state.events.append(event)
            rescored.append(event)
        points = raw_score(state.events) - before
        event = {
            "type": f"{revised.kind}_revision",
            "criterion": rescored[index]["criterion"],
            "points": points,
            "label": revised.label,
            "rescored": rescored,
        }
        return Outcome(acknowledged(action), points, event)

    # Negotiation

    def _send_markup(self, action: Action) -> Outcome:
        refusal = self._negotiation_refusal()
        if refusal is not None:
            return refusal
        read = read_markup(action)
        if isinstance(read, FieldProblem):
            return field_error(read)
        self._state.rounds_used += 1
        return self._reply(send_markup(self._state, read))

    def _accept_counterparty(self, action: Action) -> Outcome:
        refusal = self._negotiation_refusal()
        if refusal is not None:
            return refusal
        label = text_or_number(action.get("issue_id"))
        found = table_of_label(self._state, label) if label is not None else None
        counter = found[1].acceptable() if found is not None else None
        if found is None or counter is None:
            message = "There is no offer of the other side to accept under this label."
            return error("no_outstanding_counter", message)
        self._state.rounds_used += 1
        return self._reply(accept_counter(*found, counter.text))

    def _negotiation_refusal(self) -> Outcome | None:
        if not self._state.plan.has_negotiation:
            return error("negotiation_unavailable", "There is nobody to negotiate with in this matter.")
        if self._state.rounds_used >= self._limits.maximum_negotiation_rounds:
            return error("round_budget", "No negotiation rounds are left.")
        return None

    def _reply(self, reply: Reply) -> Outcome:
        self._state.events.append(reply.event)
        valid = reply.result["kind"] not in ("error", "markup_closed")
        return Outcome(reply.result, reply.event["points"], reply.event, valid)

    # The end

    def _submit_final(self, action: Action) -> Outcome:
        summary = action.get("summary")
        if summary is not None and not isinstance(summary, str):
            return wrong_type("summary")
        event = score_final(self._state, summary or "")
        self._state.events.append(event)
        self.terminated = True
        return Outcome({"kind": "final_ack"}, event["points"], event)


_HANDLERS: dict[str, Callable[[Episode, Action], Outcome]] = {
    "read_document": Episode._read_document,
    "search_matter": Episode._search_matter,
    "ask_client": Episode._ask_client,
    "escalate": Episode._escalate,
    "submit_issue": Episode._submit_issue,
    "revise_issue": Episode._revise_issue,
    "propose_redline": Episode._propose_redline,
    "revise_redline": Episode._revise_redline,
    "send_markup": Episode._send_markup,
    "accept_counterparty": Episode._accept_counterparty,
    "submit_final": Episode._submit_final,
}
