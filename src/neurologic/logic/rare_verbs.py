"""English words that the dictionary lists as verbs, but that hardly anybody uses as one: dog, table, moon.

A word is here if fewer than one in 200 of its forms in running text are its past or its -ing form ("dogged",
"dogging"), as far as no other part of speech has the same. The count is over 2.4 million words of captions,
news, everyday sentences and recipes; words of which these have fewer than 100 forms are not judged. Nouns and
adjectives are not judged either: many that everybody uses have no plural or comparative.
"""

RARE_VERBS = frozenset({
    "abstract", "action", "baby", "background", "ball", "balloon", "barn", "basket", "batch", "bay",
    "beach", "beef", "bell", "berry", "best", "better", "black", "blood", "blue", "boat", "bottom",
    "branch", "breakfast", "breast", "bridge", "bull", "bunch", "bus", "cake", "canal", "candidate",
    "candle", "card", "case", "castle", "cat", "centre", "chance", "chicken", "clock", "club", "coast",
    "complex", "concrete", "couch", "course", "court", "crab", "crew", "cup", "curtain", "dish", "doctor",
    "dog", "don", "down", "drug", "ear", "earth", "effect", "egg", "entrance", "fast", "fat", "field",
    "fillet", "finger", "fog", "foreground", "forward", "front", "fruit", "full", "further", "gas",
    "ginger", "glass", "gown", "grass", "green", "guest", "guy", "harbor", "harbour", "hay", "helicopter",
    "holiday", "home", "horse", "hot", "husband", "image", "inch", "institute", "instrument", "jacket",
    "jet", "job", "juice", "key", "keyboard", "kid", "king", "knee", "knife", "lake", "lamb", "language",
    "lapse", "leaf", "league", "leather", "loaf", "long", "low", "lunch", "man", "marinade", "matter",
    "meal", "metal", "meter", "metre", "microwave", "middle", "milk", "mind", "minister", "minute", "mist",
    "moon", "mother", "motorcycle", "mushroom", "numb", "nut", "option", "over", "page", "palm", "pant",
    "paper", "pasture", "people", "pepper", "piece", "pillow", "pink", "plane", "police", "pond", "pool",
    "port", "product", "program", "quarter", "queen", "quiet", "rack", "railroad", "ray", "reef", "right",
    "room", "route", "safe", "sandwich", "second", "sector", "shallow", "sheet", "shoe", "shore", "short",
    "silver", "sky", "soldier", "soup", "sour", "squash", "steel", "still", "stone", "structure", "sugar",
    "summer", "table", "tablet", "tank", "tarmac", "team", "telescope", "tender", "term", "third", "tide",
    "time", "tool", "toy", "tree", "troop", "truck", "true", "trump", "tunnel", "up", "video", "war", "web",
    "weekend", "well", "while", "white", "window", "winter", "wrong", "yard", "yellow",
})  # fmt: skip
