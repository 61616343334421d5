/** Pages and their sections; pictures and restaurants by key. */
export const pages = [
  {
    key: 'about',
    title: 'About this guide',
    slug: 'about',
    parent: null,
    sections: [
      {
        __component: 'blocks.hero',
        title: 'We eat first',
        subtitle: 'A guide to the kitchens of Larkhaven, written by people who paid for their dinner.',
        image: 'harbour',
        action: { label: 'See the restaurants', url: '/restaurants' },
      },
      {
        __component: 'blocks.text',
        body: 'We visit **three times**, book under another name, and do not photograph soup.',
      },
      { __component: 'blocks.quote', text: 'Bring cash and an appetite.', author: 'Sign at the fish market' },
    ],
  },
  {
    key: 'how-we-rate',
    title: 'How we rate',
    slug: 'how-we-rate',
    parent: 'about',
    sections: [
      {
        __component: 'blocks.text',
        body: 'From 0 to 5, in tenths. Three visits, three people, the middle value.',
      },
      {
        __component: 'blocks.related',
        title: 'Never below 4.6',
        restaurants: ['lamplight', 'nine-seats', 'salt-cellar', 'page-sixty-one'],
        links: [{ label: 'All of them', url: '/restaurants?sort=rating:desc' }],
      },
    ],
  },
  {
    key: 'a-weekend',
    title: 'A weekend in Larkhaven',
    slug: 'a-weekend',
    parent: null,
    sections: [
      { __component: 'blocks.hero', title: 'Two days, seven meals', image: 'night' },
      {
        __component: 'blocks.gallery',
        caption: 'What you will see',
        images: ['harbour', 'oyster', 'garden'],
      },
      {
        __component: 'blocks.related',
        title: 'In this order',
        restaurants: ['lamplight', 'tideline', 'page-sixty-one'],
      },
      { __component: 'blocks.quote', text: 'Miss the ferry on purpose.' },
    ],
  },
] as const;
