"""English words that the dictionary lists as verbs, but that hardly anybody uses as one: dog, table, moon.

A word is here if its past and its -ing form ("dogged", "dogging"), as far as no other part of speech of it has
them, are fewer than one in 200 of its forms, and its forms appear at least 20 times, in 2.4 million words of
captions, news, everyday sentences and recipes. Words that are rarer than that are not here, whatever they
are. Nouns and adjectives are not judged: many that everybody uses have no plural or comparative.
"""

RARE_VERBS = frozenset(
    """
    absent abstract action advantage article ash autograph baby background ball balloon ballot barber
    barge barn barrel basket batch bay beach beef bell belly belt berry best better birch black blank
    blood blouse blue boat bolt bottom brain branch breakfast breast breeze bridge brook bucket bull bunch
    bus cake calendar camouflage canal candidate candle cane canopy cantilever canvas caper captain card
    career cartoon case cash castle cat census centre certificate chance cheek chicken chunk clam clock
    closure clown club coast companion compass complex concrete cone congress core couch course court crab
    crate crepe crew cup curtain damp den diagram dialogue diet dirty disc dish disk disorder doctor dog
    doll dolly don down drug ear earth effect egg entrance fancy fantasy fast fat fate fault field fillet
    finger flesh fluff foal fog foreground forward fox frank freight frog front fruit full further gang
    gap garage garb garland gas gentle ginger glass glimpse goose gown grain grandfather grandparent grass
    gravel green gross guest gum guy hammock harbor harbour hay helicopter hive holiday home horse hose
    hot hurdle husband image inch index initial instance institute instrument intimate jack jacket jazz
    jet job jockey joint journal journey juice junction kernel key keyboard kid king kite kitten knee
    knife ladder laden ladle lagoon lake lamb landmark language lapse laser leaf league leather ledge lens
    licence lightning lip loaf loft long lord low luck lump lunch man mantle marathon marble marinade mat
    matter mattress meal mesh metal meter metre microscope microwave middle mike milk mind minister minor
    minute mist monkey moon mortar mortgage mother motorcycle muddy muscle mushroom needle negative noise
    nose numb nut occasion okay opaque option output oval over overcast overweight packet page palm pant
    paper parrot pasture pawn pencil pension people pepper pestle physic piece pill pillar pillow pink
    plane pleasure pod police pond pool port precise premise product program proof proportion provision
    puddle pulp purpose quarter queen quiet rabbit rack radio railroad rat ray rebel reef referee relay
    resource rifle right rival rod room rouge rough route safe salary sandwich scout seam second sector
    self sex shaft shallow sheet shepherd shoe shore short shrine shuttle shy sight silver skull sky
    slight slit slum smart soap sock soldier solo soup sour spite spotlight squash stable stake steel
    steward still stomach stone stool structure stunt sugar suicide summer swamp swan table tablet tank
    tarmac team tee telegraph telescope tender tension term third thread thumb tide time toll tongue tool
    tough toy trademark transit tree trench trial troop trough truck true trump tunnel tutor twitch umpire
    up veal version video vine visa vision volume wafer waffle war ward warehouse web weed weekend well
    while white window winter wise wrong yard yarn yeast yellow
    """.split()
)
