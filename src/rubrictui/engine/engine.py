"""The engine: everything a caller can do with a store, on one object.

Each part is a module of its own, and each stands on the one before it:

===================  ================================================================================
``base``             opening, who is asking, transactions, finding things by name
``catalog``          reading rubrics, versions, scales
``scale_work``       scales: where they are used, copies
``shelves``          names, descriptions and categories of rubrics
``rubric_drafts``    drafts of rubrics, saved a change at a time
``authoring``        publishing, retiring, the board of versions
``previewing``       what drafts are tried on: sample answers, and answers that were given
``work``             settling what is to be scored
``drafts``           the inbox, open drafts, saving answers
``submitting``       preview, submit, supersede, withdraw
``reading``          evaluations, cohorts, consensus; a user's own past answers and phrases
``panels``           subjects, contexts, assignments, users
``adjudicating``     settling what reviewers disagree about
``loading``          documents from files, and the samples
``care``             backup, checks, facts about the store
``importing``        rubrics from other programs
``syncing``          rubrics kept in step with files
``evaluating``       records scored by rules, models, agents and plugins
``trying``           evaluators tried on drafts, of which no evaluation comes
``evaluating_many``  the same for a whole round, going on where it stopped
``packets``          work for offline reviewers as a file
``packets_away``     the store that such a file is worked on in, and what is returned from it
``packets_plan``     what would become of each item of a return
``packets_in``       taking returns in
``packets_settling`` settling what cannot be taken in by itself
``importing_scores`` evaluations that were made elsewhere
``reporting``        what reports and letters of a round are made of
===================  ================================================================================
"""

from __future__ import annotations

from rubrictui.engine.reporting import Reporting


class Engine(Reporting):
    """One open store and one user who asks; see ``EngineBase`` for how it is opened.

    Every method is one transaction: all of it is stored, durably, or nothing. Methods may be called from
    several threads. Errors are ``RubrictuiError``s with one line that says what, where, and what to do.
    """
