// Examples to click, each with what it teaches: one per kind of predicate, one per task; and the language of
// formulas in short.
const DOG = "Write one sentence about a dog in the park.";
const SEA = "Write one sentence about the sea at night.";

export const FIRST = { kind: "logic", name: "or" };

export const EXAMPLES = [
  {
    kind: "words",
    items: [
      { name: "a word", prompt: DOG, formula: "frisbee", lesson: "The word must occur." },
      { name: "a phrase", prompt: DOG, formula: '"flying disc"', lesson: "Quotes make a phrase of several words." },
      { name: "any form", prompt: DOG, formula: "inflect(dog) & inflect(run)", lesson: "inflect(…) takes any form of a word: run, runs, ran, running." },
      { name: "not this", prompt: SEA, formula: "sea & inflect(star) & !inflect(moon) & !dark", lesson: "! forbids a word, or all its forms." },
      { name: "twice", prompt: DOG, formula: "dog[times=2]", lesson: "At least twice. dog & !dog[times=2] is exactly once." },
      { name: "exact case", prompt: "Write one sentence about a rover on Mars.", formula: "NASA[case=exact] & rover", lesson: "Case counts only where you ask for it." },
      { name: "unless", prompt: "Write one sentence about dessert.", formula: '!cream[unless="ice cream"] & inflect(dessert)', lesson: "No cream, but ice cream may come." },
    ],
  },
  {
    kind: "logic",
    items: [
      { name: "or", prompt: DOG, formula: 'inflect(dog) & inflect(catch) & (frisbee | "flying disc") & !ball', lesson: "& is and, | is or, ! is not. Each part joined by & is a clause with a verdict of its own." },
      { name: "if … then", prompt: "Write one sentence about a walk in the rain.", formula: "inflect(walk) & (rain -> umbrella)", lesson: "A text with rain needs an umbrella, too." },
      { name: "both or none", prompt: "Write one sentence about breakfast.", formula: "(salt <-> pepper) & inflect(egg)", lesson: "Salt and pepper come together, or not at all." },
      { name: "two of three", prompt: DOG, formula: "at_least(2, leash, squirrel, bench)", lesson: "Also at_most and exactly." },
      { name: "exactly one", prompt: "Write one sentence about the weather.", formula: "exactly(1, sun, rain, snow)", lesson: "One of them, and neither of the others." },
      { name: "a wish", prompt: DOG, formula: "dog & prefer(squirrel, 1.5)", lesson: "prefer(…) weighs in the ranking by so many nats; it is never forced." },
      { name: "contradiction", prompt: DOG, formula: '"big dog" & !dog', lesson: "No text can do this, and you learn it before the model runs." },
    ],
  },
  {
    kind: "shape",
    items: [
      { name: "length", prompt: DOG, formula: "inflect(dog) & words(10..16)", lesson: "Also characters, sentences, lines and paragraphs; words(..16) and words(10..) are open at one end." },
      { name: "order", prompt: DOG, formula: "order(dog, ball, bench)", lesson: "One after the other, with anything between." },
      { name: "near", prompt: SEA, formula: "near(3, sea, inflect(star))", lesson: "Both, with at most 3 words between them." },
      { name: "start and end", prompt: DOG, formula: 'starts("In the park") & ends(".")', lesson: "How the text begins and ends." },
      { name: "expression", prompt: "When was the park opened? Answer in one sentence.", formula: "/(19|20)[0-9]{2}/", lesson: "A regular expression must match somewhere: here a year." },
      { name: "whole text", prompt: "Give me a date, as 2024-05-17.", formula: "fully(/20[0-9]{2}-(0[1-9]|1[0-2])-[0-2][0-9]/)", lesson: "fully(/…/) must match the whole text." },
    ],
  },
  {
    kind: "sentences and words",
    items: [
      { name: "every sentence", prompt: "Write two sentences about dogs.", formula: "sentences(2) & every(sentence, inflect(dog))", tokens: 60, lesson: "Units are word, sentence, line and paragraph." },
      { name: "some sentence", prompt: "Write two sentences about dogs.", formula: "sentences(2) & some(sentence, words(..6))", tokens: 60, lesson: "One of the sentences has at most six words." },
      { name: "no word", prompt: SEA, formula: "sea & no(word, characters(9..))", lesson: "No word has nine letters or more." },
      { name: "first sentence", prompt: "Write two sentences about dogs.", formula: "sentences(2) & first(sentence, inflect(dog) & !inflect(cat))", tokens: 60, lesson: "Whole formulas work inside of a unit." },
      { name: "last word", prompt: SEA, formula: "sea & last(word, stars)", lesson: "How the text ends, punctuation aside." },
      { name: "third word", prompt: DOG, formula: "nth(3, word, dog)", lesson: "nth(-2, …) counts from the end." },
      { name: "count", prompt: "Write three sentences about dogs.", formula: "sentences(3) & count(2.., sentence, inflect(dog))", tokens: 70, lesson: "So many units have it: here two or more." },
    ],
  },
  {
    kind: "tasks",
    items: [
      { name: "concepts", prompt: "Write one sentence with the words dance, stage and crowd.", formula: "inflect(dance) & inflect(stage) & inflect(crowd)", lesson: "A sentence of given concepts, as in CommonGen." },
      { name: "product", prompt: "Write one sentence that sells a rain jacket.", formula: 'waterproof & "30 days" & !cheap', lesson: "Facts that must be there, and a word that must not." },
      { name: "recipe", prompt: "How do I cook garlic steak? Answer in two sentences.", formula: 'garlic & steak & "soy sauce" & !pork & !beans', tokens: 60, lesson: "All of the ingredients, and no others." },
      { name: "hotel", prompt: "You are a hotel clerk. Answer: is there a cheap room with breakfast?", formula: 'breakfast & (cheap | inexpensive) & "Hotel Astoria"', lesson: "A dialogue act put into words." },
      { name: "rephrase", prompt: "Rephrase: The meeting was moved to Friday because the train was late.", formula: "Friday & meeting & !moved", lesson: "Keep the facts, change the words." },
    ],
  },
];

export const LANGUAGE = [
  ["dog", "the word occurs"],
  ['"flying disc"', "the phrase occurs"],
  ["inflect(run)", "any form: run, runs, ran, running"],
  ["!dog", "not"],
  ["a & b", "and"],
  ["a | b", "or"],
  ["a -> b", "if a, then b"],
  ["a <-> b", "both or none"],
  ["at_least(2, a, b, c)", "also at_most, exactly"],
  ["dog[times=2]", "twice or more"],
  ['cream[unless="ice cream"]', "outside of the other phrase"],
  ["order(a, b)", "one after the other"],
  ["near(5, a, b)", "at most 5 words between"],
  ["starts(a), ends(a)", "where the text begins, ends"],
  ["words(10..20)", "so many; also characters, sentences, lines, paragraphs"],
  ["/[0-9]{4}/, fully(/…/)", "an expression matches somewhere, the whole text"],
  ["every(sentence, F)", "also some, no, first, last, nth(3, …), count(2.., …); of word, sentence, line, paragraph"],
  ["prefer(F, 1.5)", "a wish"],
];

export const DECODERS = ["neurologic", "astar", "beam", "greedy", "gbs", "dba", "vdba", "cbs", "top-k", "top-p"];
