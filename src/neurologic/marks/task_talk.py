"""Find talk about the task: a text that speaks of itself, its prompt or its writer, not of its subject.

Letters say "Here is the report" and "Let me know if you need help", so the patterns ask for words that only
an answer to a prompt has. The phrases of the formula are exempt: a template may require "[Name]". The
patterns are English.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from neurologic.marks.reading import Reading


class _Pattern(NamedTuple):
    """An expression, and strings in lower case of which every match has one: they are quick to look up."""

    needs: tuple[str, ...]
    expression: re.Pattern[str]


def _pattern(needs: str, *parts: str) -> _Pattern:
    return _Pattern(tuple(needs.split()), re.compile("".join(parts), re.IGNORECASE | re.MULTILINE))


# What people ask for, which only an answer calls by its name; and what letters mention too.
_OWN_NAME = r"(?:sentence|paragraph|headline|tagline|slogan|caption|paraphrase)s?"
_ANY_NAME = (
    r"(?:sentence|paragraph|headline|tagline|slogan|caption|paraphrase|rewrite|translation|text|story|poem|haiku|"
    r"description|version|response|reply|answer|example|summary|draft|e-?mail|message|letter|recipe|list|post|"
    r"article|review|title|dialogue)s?"
)
_THIS = r"(?:sentence|paragraph|text|headline|description|paraphrase|story|poem|passage|e-?mail|response)"
_START = r"\A[\"'“*]*"
_HERE = (
    r"here(?:['’]s| is| are) (?:an?|the|your|my|some|one|two|three|four|five|another|\d+) (?:[\w-]+ ){0,4}?"
)
_CHANGED = r"(?:rewritten|rephrased|paraphrased|reworded|revised)"

_PATTERNS = (
    # "Sure!", "Of course, I'd be happy to write …"
    _pattern("sure certainly", _START, r"(?:sure(?: thing)?|certainly)!"),
    _pattern(
        "sure certainly absolutely course",
        *(
            _START,
            r"(?:sure(?: thing)?|certainly|absolutely|of course)[!,.:]?\s+(?:here\b|let me\b|i can help|",
        ),
        r"i(?:['’]d| would) be (?:happy|glad|delighted) to (?:help|assist|write|create|craft|provide)|",
        r"i(?:['’]ll| will| can) (?:write|create|craft|rewrite|rephrase|provide)|below (?:is|are))",
    ),
    # "Here is a sentence …", "Here's the rewritten text", "Here is a product description for …:"
    _pattern("here", _START, _HERE, rf"(?:{_OWN_NAME}|{_CHANGED})\b"),
    _pattern("here", r"^[\"'“*]*", _HERE, _ANY_NAME, r"\b[^\n.!?:]{0,120}:(?=\s)"),
    _pattern(
        "here", _START, _HERE, _ANY_NAME, r" (?:that|which) (?:uses?|includes?|contains?|meets?|avoids?)\b"
    ),
    # "Headline: …"
    _pattern(
        ":",
        *(r"\A[\"'“*#\s]*(?:(?:example |new )?sentence|paragraph|headline|tagline|", _CHANGED, r"(?: \w+)?|"),
        r"paraphrase|product (?:description|text)|output|response|prompt|task)\**:",
    ),
    # "This sentence uses …", "the sentence above"
    _pattern(
        *("this above following given", r"\b(?:this|the (?:above|following|given)) ", _THIS),
        r" (?:uses|contains|includes|incorporates|avoids|mentions|meets|fulfil+s|satisfies|",
        r"does not (?:use|contain|include|mention)|is (?:written|designed|intended) to)\b",
    ),
    _pattern("above below", rf"\bthe (?:{_THIS} (?:above|below)|above {_THIS})\b"),
    # "the words a, b and c are used", "using the words 'a' …", "the required words", "(100 words)"
    _pattern(
        "word", r"\bwords? (?:[\"“‘'\w-]+[\"”’']?,? ){1,12}?(?:is|are|were) (?:all )?(?:used|included)\b"
    ),
    _pattern(
        *(
            "word",
            r"\b(?:us(?:e|es|ing)|includ(?:e|es|ing)|contain(?:s|ing)?|incorporat(?:e|es|ing)|without) ",
        ),
        r"the (?:\w+ )?words?:? [\"“‘']",
    ),
    _pattern(
        "word phrases", r"\bthe (?:required|given|provided|specified|forbidden) (?:key)?(?:words|phrases)\b"
    ),
    _pattern("words", r"[(\[]\s*(?:approx\w*\.? |about |exactly )?\d+ words\s*[)\]]"),
    _pattern("count", r"\bword count\b"),
    # 'In this context, "quickly" means …', "a grammatically correct way", "The answer to this question is"
    _pattern(
        *(
            "context sentence paraphrase",
            r"\bin this (?:context|sentence|paraphrase), (?:[\"“‘']|the (?:word|phrase|sentence|expression|",
        ),
        r"term)s?\b|[^.\n]{0,60} refers? to\b)",
    ),
    _pattern(
        "idiomatic grammatically",
        r"\b(?:idiomatic|grammatically (?:in)?correct)\b[^.\n]{0,30} (?:way|expression|sentence|version)\b",
    ),
    _pattern("version", r"\bversion of the original (?:sentence|phrase|message|text)\b"),
    _pattern("question", _START, r"the answer to (?:this|your|the) question is\b"),
    # "I hope this helps", "let me know if you'd like me to change …"
    _pattern("helps", r"\bhope (?:this|that|it) helps\b"),
    _pattern(
        *("let", r"\blet me know if you(?:['’]d like| would like| want| need) me to "),
        r"(?:rewrite|rephrase|revise|change|adjust|modify|edit|make|add|write|shorten|expand)\b",
    ),
    # "As an AI, I …", "your prompt asks", "I cannot fulfil this request"
    _pattern(
        "ai", r"\bas an ai(?:,| (?:language|assistant|model|text)\b)|\bi(?:['’]m| am) (?:just |only )?an ai\b"
    ),
    _pattern("model", r"\b(?:as|am|['’]m) a (?:large )?language model\b"),
    _pattern("prompt", r"\b(?:the|your) (?:\w+ )?prompt (?:asks|asked|says|requires|above|is to)\b"),
    _pattern("prompt", r"\b(?:based on|according to) (?:the|your) (?:\w+ )?prompt\b"),
    _pattern(
        *("can unable", r"\bi(?: can(?:no|['’])t| can not|['’]m unable to| am unable to) "),
        r"(?:assist with|fulfil+|comply with|generate|complete) (?:this|that|your|the)\b",
    ),
    # "[Your Name]", "[Hotel Name]", "<name>", "{customer}"; but no link: [your order](…)
    _pattern(
        *(
            "[",
            r"\[[A-Z][\w'’ -]{0,30} (?:name|number|address|date|time|city|country|title|department|team)",
            r"\](?!\()",
        )
    ),
    _pattern(
        *(
            "[",
            r"\[(?:your|insert|my|the|recipient|customer|client|company|business|store|shop|brand|product|sender|",
        ),
        r"name|first|last|full|date|time|day|month|year|address|phone|e-?mail|city|location|number|link|position|",
        r"job|contact|order|amount|price|website|url|signature)\b[^\]\n]{0,40}\](?!\()",
    ),
    _pattern("<", r"<(?:your|insert|name|recipient|company|date)\b[^>\n]{0,40}>"),
    _pattern("{", r"\{+\s*(?:your|insert|name|first|last|customer|company|recipient|date)\b[^}\n]{0,30}\}+"),
    # Parts of chat templates.
    _pattern("<| |> s> inst]", r"<\|[^|\n]{0,40}\|?>?|\|>|</?s>|\[/?inst\]"),
    _pattern("##", r"^#+ (?:instruction|response|input)s?:?\s*$"),
    _pattern("user assistant system human", r"^(?:user|assistant|system|human)[ \t]*(?::|$)"),
    _pattern("user assistant", r"(?<=[.!?])(?:user|assistant)\b"),
)


def find(reading: Reading) -> str | None:
    """Return the first words of a text that talk about the task.

    >>> find(Reading("Here is a sentence that uses them: The dog slept.", ()))
    'Here is a sentence'
    """
    lowered = reading.text.lower()
    for needs, expression in _PATTERNS:
        if any(word in lowered for word in needs):
            for match in expression.finditer(reading.text):
                if not reading.is_required(*match.span()):
                    return match[0].strip()
    return None
