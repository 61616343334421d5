/**
 * Fills a project with the demo: a guide to the kitchens of a harbour town. It uses nothing but the package, so it is also an
 * example of how to bring one's own content in. The first `npm start` runs it; by hand: `node dist/scripts/seed.js`.
 */
import { fileURLToPath } from 'node:url';
import { type Connection, connect } from 'mangrove';
import { articles, type DemoArticle } from './demo/articles.js';
import { blocks } from './demo/blocks.js';
import { categories } from './demo/categories.js';
import { chefs } from './demo/chefs.js';
import { documentId } from './demo/document-id.js';
import { kitchens } from './demo/kitchens.js';
import { pages } from './demo/pages.js';
import { picture } from './demo/picture.js';
import type { DemoRestaurant } from './demo/restaurants.js';
import { scenes } from './demo/scenes.js';
import { seafoodAndBakeries } from './demo/seafood-and-bakeries.js';

type Mangrove = Pick<Connection, 'documents' | 'upload'>;
/** documentIds of the pictures, by name. */
type Pictures = ReadonlyMap<string, string>;

const restaurants: readonly DemoRestaurant[] = [...seafoodAndBakeries, ...kitchens];
const idOf = (kind: string) => (key: string) => documentId(kind, key);
const [category, chef, restaurant, article, page] = ['category', 'chef', 'restaurant', 'article', 'page'].map(
  idOf,
) as [
  (key: string) => string,
  (key: string) => string,
  (key: string) => string,
  (key: string) => string,
  (key: string) => string,
];

/** Writes the whole demo into an empty project. */
export async function seed(mangrove: Mangrove): Promise<void> {
  const pictures = await storePictures(mangrove);
  await writeCategories(mangrove);
  await writeChefs(mangrove, pictures);
  await writeRestaurants(mangrove, pictures);
  await writeArticles(mangrove, pictures);
  await writePages(mangrove, pictures);
}

async function storePictures({ documents, upload }: Mangrove): Promise<Pictures> {
  const ids = new Map<string, string>();
  for (const [name, { alternativeText, caption, ...scene }] of Object.entries(scenes)) {
    const file = `${name}.png`;
    const there = await documents('plugin::upload.file').findFirst({ filters: { name: file } });
    const buffer = picture(640, 400, scene);
    const row = there ?? (await upload({ name: file, buffer, fileInfo: { alternativeText, caption } }));
    ids.set(name, String(row.documentId));
  }
  return ids;
}

async function writeCategories({ documents }: Mangrove): Promise<void> {
  for (const { key, ...words } of categories) {
    const parent = 'parent' in words ? category(words.parent) : null;
    await documents('api::category.category').create({
      data: { ...words, documentId: category(key), parent },
    });
  }
}

async function writeChefs({ documents }: Mangrove, pictures: Pictures): Promise<void> {
  for (const { key, mentor, published, ...words } of chefs)
    await documents('api::chef.chef').create({
      data: {
        ...words,
        documentId: chef(key),
        mentor: mentor === null ? null : chef(mentor),
        portrait: key === 'tomasz' ? pictures.get('bread') : null,
      },
      ...(published && { status: 'published' }),
    });
}

/** A reference needs its target: first all as drafts, then the links among them, then they go live. */
async function writeRestaurants({ documents }: Mangrove, pictures: Pictures): Promise<void> {
  const service = documents('api::restaurant.restaurant');
  for (const one of restaurants) await service.create({ data: restaurantData(one, pictures) });
  for (const { key, similar, status, name } of restaurants) {
    const id = restaurant(key);
    const data = { similar: similar.map(restaurant) };
    await service.update({ documentId: id, data, ...(status !== 'draft' && { status: 'published' }) });
    if (status === 'modified')
      await service.update({ documentId: id, data: { tagline: `${name}, before the renovation` } });
  }
}

function restaurantData(one: DemoRestaurant, pictures: Pictures): object {
  const { key, similar: _similar, status: _status, at, street, district, quote, menu, cover, ...words } = one;
  return {
    ...words,
    documentId: restaurant(key),
    slug: key,
    story: blocks(one.tagline, `**${one.name}** stands at ${street}.`),
    lastInspection: '2026-02-03T09:30:00.000Z',
    email: `table@${key}.example`,
    facts: { stools: one.seats < 15, dogs: one.takesReservations },
    internalNote: `Visited by three people; the middle value was ${one.rating}`,
    location: { street, district, latitude: at[0], longitude: at[1] },
    menu: menu.map((dish) => ({ ...dish, ...(dish.category && { category: category(dish.category) }) })),
    categories: one.categories.map(category),
    chef: one.chef === null ? null : chef(one.chef),
    cover: pictures.get(cover),
    gallery: [pictures.get(cover), pictures.get('harbour')].filter((id, at, all) => all.indexOf(id) === at),
    seo: { metaTitle: one.name, metaDescription: one.tagline, keywords: [one.cuisine, district] },
    blocks: [
      { __component: 'blocks.hero', title: one.name, subtitle: one.tagline, image: pictures.get(cover) },
      ...(quote ? [{ __component: 'blocks.quote', text: quote[0], author: quote[1] }] : []),
      { __component: 'blocks.gallery', caption: street, images: [pictures.get(cover)] },
    ],
  };
}

async function writeArticles({ documents }: Mangrove, pictures: Pictures): Promise<void> {
  const service = documents('api::article.article');
  const shared = ({ readingMinutes, featured, cover, tags }: DemoArticle) => ({
    readingMinutes,
    featured,
    cover: pictures.get(cover),
    tags: tags.map((label) => ({ label })),
  });
  const links = (one: DemoArticle) => ({
    chef: one.chef === null ? null : chef(one.chef),
    restaurants: one.restaurants.map(restaurant),
  });
  for (const one of articles) {
    const seo = { metaTitle: one.en.title, metaDescription: one.en.excerpt };
    await service.create({
      data: { ...one.en, ...shared(one), ...links(one), seo, documentId: article(one.key) },
    });
  }
  for (const one of articles) {
    const id = article(one.key);
    const live = one.status === 'draft' ? {} : { status: 'published' };
    await service.update({ documentId: id, data: { related: one.related.map(article) }, ...live });
    if (!one.fr) continue;
    const data = { ...one.fr, ...links(one), seo: { metaTitle: one.fr.title } };
    await service.update({ documentId: id, locale: 'fr', data, ...(one.status === 'published' && live) });
  }
}

async function writePages({ documents }: Mangrove, pictures: Pictures): Promise<void> {
  for (const { key, parent, sections, ...words } of pages)
    await documents('api::page.page').create({
      data: {
        ...words,
        documentId: page(key),
        parent: parent === null ? null : page(parent),
        sections: sections.map((section) => withIds(section, pictures)),
      },
      status: 'published',
    });
  await documents('api::homepage.homepage').create({
    data: {
      documentId: documentId('homepage', 'homepage'),
      title: 'The kitchens of Larkhaven',
      intro: 'Twelve tables in a harbour town, and the stories around them.',
      hero: {
        title: 'Eat before the tide',
        image: pictures.get('harbour'),
        action: { label: 'All restaurants', url: '/restaurants' },
      },
      featured: ['nine-seats', 'lamplight', 'verdigris'].map(restaurant),
      sections: [
        {
          __component: 'blocks.quote',
          text: 'The queue is the best newspaper of the city.',
          author: 'Samir Haddad',
        },
      ],
      seo: { metaTitle: 'The kitchens of Larkhaven' },
    },
    status: 'published',
  });
}

/** A section with the documentIds of its pictures and restaurants in the place of their keys. */
function withIds(section: (typeof pages)[number]['sections'][number], pictures: Pictures): object {
  return {
    ...section,
    ...('image' in section && { image: pictures.get(section.image) }),
    ...('images' in section && { images: section.images.map((name) => pictures.get(name)) }),
    ...('restaurants' in section && { restaurants: section.restaurants.map(restaurant) }),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const mangrove = await connect();
  try {
    await seed(mangrove);
  } finally {
    await mangrove.close();
  }
}
