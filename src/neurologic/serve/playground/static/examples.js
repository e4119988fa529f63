// Examples to click: one per kind of predicate, one per task. Groups with `needs` show only where the server
// can read that formula.
const DOG = "Write one sentence about a dog in the park.";
const SEA = "Write one sentence about the sea at night.";

export const EXAMPLES = [
  {
    name: "words",
    items: [
      { name: "a word", prompt: DOG, formula: "frisbee" },
      { name: "a phrase", prompt: DOG, formula: '"flying disc"' },
      { name: "any form", prompt: DOG, formula: "inflect(dog) & inflect(run)" },
      { name: "not this", prompt: SEA, formula: "sea & inflect(star) & !inflect(moon) & !dark" },
      { name: "twice", prompt: DOG, formula: "dog[times=2]" },
      { name: "exact case", prompt: "Write one sentence about a rover on Mars.", formula: "NASA[case=exact] & rover" },
    ],
  },
  {
    name: "logic",
    items: [
      { name: "or", prompt: DOG, formula: 'inflect(dog) & inflect(catch) & (frisbee | "flying disc") & !ball' },
      { name: "if … then", prompt: "Write one sentence about a walk in the rain.", formula: "inflect(walk) & (rain -> umbrella)" },
      { name: "both or none", prompt: "Write one sentence about breakfast.", formula: "(salt <-> pepper) & inflect(egg)" },
      { name: "two of three", prompt: DOG, formula: "at_least(2, leash, squirrel, bench)" },
      { name: "exactly one", prompt: "Write one sentence about the weather.", formula: "exactly(1, sun, rain, snow)" },
      { name: "contradiction", prompt: DOG, formula: '"big dog" & !dog' },
    ],
  },
  {
    name: "predicates",
    needs: "words(1..)",
    items: [
      { name: "length", prompt: DOG, formula: "inflect(dog) & words(10..16)" },
      { name: "order", prompt: DOG, formula: "order(dog, ball, bench)" },
      { name: "near", prompt: SEA, formula: "near(3, sea, star)" },
      { name: "start and end", prompt: DOG, formula: 'starts("In the park") & ends(".")' },
      { name: "expression", prompt: "When was the park opened? Answer in one sentence.", formula: "/(19|20)[0-9]{2}/" },
      { name: "unless", prompt: "Write one sentence about dessert.", formula: '!cream[unless="ice cream"] & inflect(dessert)' },
      { name: "every sentence", prompt: "Write two sentences about dogs.", formula: "sentences(2) & every(sentence, inflect(dog))", tokens: 60 },
      { name: "first word", prompt: SEA, formula: "first(word, tonight)" },
      { name: "a wish", prompt: DOG, formula: "dog & prefer(squirrel, 1.5)" },
    ],
  },
  {
    name: "tasks",
    items: [
      { name: "concepts", prompt: "Write one sentence with the words dance, stage and crowd.", formula: "inflect(dance) & inflect(stage) & inflect(crowd)" },
      { name: "product", prompt: "Write one sentence that sells a rain jacket.", formula: 'waterproof & "30 days" & !cheap' },
      { name: "recipe", prompt: "How do I cook garlic steak? Answer in two sentences.", formula: 'garlic & steak & "soy sauce" & !pork & !beans', tokens: 60 },
      { name: "hotel", prompt: "You are a hotel clerk. Answer: is there a cheap room with breakfast?", formula: 'breakfast & (cheap | inexpensive) & "Hotel Astoria"' },
      { name: "rephrase", prompt: "Rephrase: The meeting was moved to Friday because the train was late.", formula: "Friday & meeting & !moved" },
    ],
  },
];

export const DECODERS = ["neurologic", "astar", "beam", "greedy", "gbs", "dba", "vdba", "cbs", "top-k", "top-p"];
