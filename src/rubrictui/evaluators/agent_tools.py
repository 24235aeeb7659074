"""What the agent reads with: pages of a text, and the two tools that give them."""

from __future__ import annotations

from typing import Final

from rubrictui.evaluators.prompting_subject import TAG, new_nonce

PAGE_CHARACTERS: Final = 12_000
MOST_HITS: Final = 20
_AROUND: Final = 200


class Pages:
    """A text in pages that end where a line does, if one does near."""

    def __init__(self, text: str, size: int = PAGE_CHARACTERS) -> None:
        self.text = text
        self._starts = [0]
        while len(text) - self._starts[-1] > size:
            start = self._starts[-1]
            line = text.rfind("\n", start + size // 2, start + size)
            self._starts.append(line + 1 if line >= 0 else start + size)

    def __len__(self) -> int:
        return len(self._starts)

    def page(self, number: int) -> str:
        """A page, 1 the first.

        Raises:
            LookupError: there is no such page.
        """
        if not 1 <= number <= len(self):
            raise LookupError(f"There is no page {number}: there are {len(self)}.")
        ends = [*self._starts[1:], len(self.text)]
        return self.text[self._starts[number - 1] : ends[number - 1]]

    def find(self, words: str, most: int = MOST_HITS) -> tuple[int, list[tuple[int, str]]]:
        """How often the words stand in the text, letter case aside, and the first hits: page, text around."""
        lowered, wanted = self.text.lower(), words.strip().lower()
        if not wanted or len(lowered) != len(self.text):
            # A few letters change their length in lower case; then they must be written as they stand.
            lowered, wanted = self.text, words.strip()
        hits: list[tuple[int, str]] = []
        count, at = 0, lowered.find(wanted) if wanted else -1
        while at >= 0:
            count += 1
            if len(hits) < most:
                around = self.text[max(0, at - _AROUND) : at + len(wanted) + _AROUND]
                hits.append((self._page_of(at), around))
            at = lowered.find(wanted, at + max(len(wanted), 1))
        return count, hits

    def _page_of(self, place: int) -> int:
        import bisect

        return bisect.bisect_right(self._starts, place)


class Tools:
    """What the agent can do. Each answer is a text; a wrong call is answered, not raised."""

    def __init__(self, rubric: str, subject: str) -> None:
        self._rubric = Pages(rubric)
        self._subject = Pages(subject)

    def get_rubric(self, page: int = 1) -> str:
        """Read the rubric: its instructions, and every criterion with its key and its levels.

        Args:
            page: which page, 1 the first.
        """
        try:
            text = self._rubric.page(page)
        except LookupError as error:
            return str(error)
        return f"Page {page} of {len(self._rubric)}\n\n{text}"

    def get_subject(self, page: int = 1, search: str | None = None) -> str:
        """Read a page of the work, or find words in all of it.

        Args:
            page: which page, 1 the first; of no matter when search is given.
            search: words to find; each hit comes with its page and the text around it.
        """
        if search is not None and search.strip():
            count, hits = self._subject.find(search)
            shown = "\n\n".join(f"Page {number}: ...{around}..." for number, around in hits)
            more = f"; the first {len(hits)} are shown" if count > len(hits) else ""
            return f"{count} found{more}." + (f"\n{self._block(shown)}" if hits else "")
        try:
            text = self._subject.page(page)
        except LookupError as error:
            return str(error)
        return f"Page {page} of {len(self._subject)}\n{self._block(text)}"

    @staticmethod
    def _block(text: str) -> str:
        code = new_nonce()
        while code in text:
            code = new_nonce()
        return f"<{TAG} {code}>\n{text}\n</{TAG} {code}>"
