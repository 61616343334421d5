import { type Block, blocks } from './blocks.js';

interface Words {
  readonly title: string;
  readonly slug: string;
  readonly excerpt: string;
  readonly body: readonly Block[];
}

/** An article in English and, where it is translated, in French; restaurants, chef and related articles by key. */
export interface DemoArticle {
  readonly key: string;
  readonly readingMinutes: number;
  readonly featured: boolean;
  readonly cover: string;
  readonly tags: readonly string[];
  readonly chef: string | null;
  readonly restaurants: readonly string[];
  readonly related: readonly string[];
  readonly en: Words;
  readonly fr?: Words;
  /** `draft`: never published. `french draft`: the translation is not out yet. */
  readonly status: 'published' | 'draft' | 'french draft';
}

export const articles: readonly DemoArticle[] = [
  {
    key: 'four-in-the-morning',
    readingMinutes: 6,
    featured: true,
    cover: 'bread',
    tags: ['bread', 'night work'],
    chef: 'tomasz',
    restaurants: ['lamplight', 'tideline'],
    related: ['a-stool-and-a-knife', 'what-the-roof-gives'],
    en: {
      title: 'Four in the morning on Lamp Hill',
      slug: 'four-in-the-morning',
      excerpt: 'A night with the thirty-one-year-old dough of Tomasz Zieliński.',
      body: blocks(
        'The dough is older than most of its customers.',
        '## The first tray',
        'At ten past four the oven takes a breath. **Nobody talks** until the first tray is out.',
        '> An oven is a slower accelerator.',
      ),
    },
    fr: {
      title: 'Quatre heures du matin à Lamp Hill',
      slug: 'quatre-heures-du-matin',
      excerpt: 'Une nuit avec le levain de trente et un ans de Tomasz Zieliński.',
      body: blocks(
        'Le levain est plus vieux que la plupart des clients.',
        '## La première fournée',
        'À quatre heures dix, le four prend son souffle. **Personne ne parle** avant la première fournée.',
      ),
    },
    status: 'published',
  },
  {
    key: 'a-stool-and-a-knife',
    readingMinutes: 4,
    featured: false,
    cover: 'oyster',
    tags: ['fish', 'how to'],
    chef: 'ines',
    restaurants: ['anchor-and-lemon'],
    related: ['four-in-the-morning'],
    en: {
      title: 'A stool and a knife',
      slug: 'a-stool-and-a-knife',
      excerpt: 'How to open an oyster without opening your hand.',
      body: blocks(
        'Hold the flat side up. **Find the hinge**, not the lip.',
        'Turn the knife, not the wrist.',
      ),
    },
    fr: {
      title: 'Un tabouret et un couteau',
      slug: 'un-tabouret-et-un-couteau',
      excerpt: 'Ouvrir une huître sans s’ouvrir la main.',
      body: blocks('Le côté plat vers le haut. **Cherchez la charnière**, pas le bord.'),
    },
    status: 'published',
  },
  {
    key: 'what-the-roof-gives',
    readingMinutes: 7,
    featured: true,
    cover: 'garden',
    tags: ['garden'],
    chef: null,
    restaurants: ['verdigris', 'page-sixty-one'],
    related: ['four-in-the-morning'],
    en: {
      title: 'What the roof gives',
      slug: 'what-the-roof-gives',
      excerpt: 'Two hundred square metres of copper, soil and stubbornness.',
      body: blocks(
        'The beans climb the lightning rod.',
        '## Weather',
        'In August the kitchen cooks **what the wind has left**.',
      ),
    },
    fr: {
      title: 'Ce que donne le toit',
      slug: 'ce-que-donne-le-toit',
      excerpt: 'Deux cents mètres carrés de cuivre, de terre et d’entêtement.',
      body: blocks('Les haricots grimpent au paratonnerre.'),
    },
    status: 'published',
  },
  {
    key: 'one-page-a-month',
    readingMinutes: 9,
    featured: false,
    cover: 'night',
    tags: ['books', 'family'],
    chef: 'samir',
    restaurants: ['page-sixty-one'],
    related: [],
    en: {
      title: 'One page a month',
      slug: 'one-page-a-month',
      excerpt: 'Samir Haddad and the book that will take him until 2034.',
      body: blocks('The book has two hundred and twelve pages and no index.', '> More, you are not poor.'),
    },
    fr: {
      title: 'Une page par mois',
      slug: 'une-page-par-mois',
      excerpt: 'Samir Haddad et le livre qui l’occupera jusqu’en 2034.',
      body: blocks('Le livre a deux cent douze pages et pas d’index.'),
    },
    status: 'french draft',
  },
  {
    key: 'after-the-last-ferry',
    readingMinutes: 3,
    featured: false,
    cover: 'night',
    tags: ['night work', 'lists'],
    chef: null,
    restaurants: ['paper-crane', 'anchor-and-lemon', 'blue-corn', 'cardamom-club'],
    related: ['a-stool-and-a-knife'],
    en: {
      title: 'After the last ferry',
      slug: 'after-the-last-ferry',
      excerpt: 'Four kitchens that are still warm at one.',
      body: blocks('The last ferry leaves at 23:40. **You will miss it.**'),
    },
    status: 'published',
  },
  {
    key: 'nine',
    readingMinutes: 5,
    featured: false,
    cover: 'noodles',
    tags: ['noodles'],
    chef: 'haruka',
    restaurants: ['nine-seats'],
    related: ['one-page-a-month'],
    en: {
      title: 'Nine',
      slug: 'nine',
      excerpt: 'Why Haruka Endo will never have ten seats.',
      body: blocks('She has measured it. The tenth guest would be **eleven centimetres** too far.'),
    },
    fr: {
      title: 'Neuf',
      slug: 'neuf',
      excerpt: 'Pourquoi Haruka Endo n’aura jamais dix places.',
      body: blocks('Elle a mesuré. Le dixième convive serait **onze centimètres** trop loin.'),
    },
    status: 'published',
  },
  {
    key: 'the-borrowed-pan',
    readingMinutes: 4,
    featured: false,
    cover: 'harbour',
    tags: ['people'],
    chef: 'lucia',
    restaurants: ['blue-corn'],
    related: [],
    en: {
      title: 'The borrowed pan',
      slug: 'the-borrowed-pan',
      excerpt: 'Its owner came to dinner, and paid.',
      body: blocks('It hangs over the pass, and its owner has sat under it.'),
    },
    status: 'published',
  },
  {
    key: 'the-first-frost',
    readingMinutes: 2,
    featured: false,
    cover: 'night',
    tags: ['openings'],
    chef: 'orla',
    restaurants: ['winter-kitchen'],
    related: [],
    en: {
      title: 'The first frost',
      slug: 'the-first-frost',
      excerpt: 'Winter Kitchen, before it opens. Not published yet.',
      body: blocks('The stove has been delivered; the walls have not.'),
    },
    status: 'draft',
  },
];
