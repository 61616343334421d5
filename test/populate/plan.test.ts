import { expect } from 'chai';
import type { Caller } from '../../src/query/read-plan.js';
import { line, outline, planOf } from '../support/corpus/plan.js';

/** `fields=id` everywhere, to keep outlines short. */
const outlineOf = (text: string, caller: Caller = { grants: null }): string =>
  outline(planOf(`fields=id&${text}`, { caller }).selection);

const only = (...actions: string[]): Caller => ({
  grants: { version: '1', allows: (action) => actions.includes(action) },
});

const chef = 'populate[chef][fields]=name';
const hero = 'populate[blocks][on][blocks.hero]';

const rows: readonly (readonly [string, string])[] = [
  [chef, 'chef(name)'],
  ['populate[chef]=0', ''],
  [
    'populate[owner][fields]=id&populate[owner][populate][bestFriend][fields]=lastName',
    'owner(bestFriend(lastName))',
  ],
  ['populate[location][fields]=city', 'location(city)'],
  [
    'populate[menu][fields]=name&populate[menu][populate][ingredients][fields]=grams',
    'menu(name, ingredients(grams))',
  ],
  ['populate[categories][count]=true&populate[categories][fields]=name', 'categories#(name)'],
  ['populate[owner][count]=true&populate[owner][fields]=lastName', 'owner#(lastName)'],
  ['populate[gallery][count]=true&populate[gallery][fields]=name', 'gallery(name)'],
  [`${hero}[fields]=title`, 'blocks[blocks.hero(title)]'],
  [`${hero}=false`, 'blocks[blocks.hero(title, subtitle)]'],
  ['populate[blocks][on][blocks.link]=true', 'blocks[]'],
  [
    'populate=blocks',
    'blocks[blocks.hero(title, subtitle), blocks.quote(text, author), blocks.gallery(caption), blocks.related(title)]',
  ],
  [
    'populate=blocks.links',
    'blocks[blocks.hero(title, subtitle), blocks.quote(text, author), blocks.gallery(caption), blocks.related(title, links(label, url, newTab))]',
  ],
  ['populate[filters][name]=x', ''],
  ['populate=', ''],
];

describe('query/plan/selection', () => {
  for (const [text, expected] of rows) it(text, () => expect(outlineOf(text)).equal(expected));

  const mixed = "Invalid nested populate. Expected '*' or an object";
  const refused: readonly (readonly [string, string])[] = [
    ['populate[owner]', 'Invalid key  at owner'],
    [`${hero}`, 'Invalid key  at blocks'],
    [`${hero}[count]=maybe`, 'Invalid key count at blocks'],
    [`${hero}[on][nope]=true`, 'Invalid key nope at blocks.on[blocks.hero].on.nope'],
    ['populate[blocks][populate]=', 'Invalid key populate at blocks'],
    [
      `${hero}=true&populate[blocks][sort]=id`,
      'Invalid nested populate for restaurant.blocks (api::restaurant.restaurant). Expected a fragment ("on") or "count" but found {"on":{"blocks.hero":"true"},"sort":"id"}',
    ],
    ['populate=updatedBy.email', 'Invalid key email at updatedBy.email'],
    ['populate[]', 'Invalid populate parameter. Expected a string'],
    ['populate[owner][populate][]', 'Invalid populate parameter. Expected a string'],
    ['populate[0]=owner&populate[1]', 'Invalid populate parameter. Expected a string'],
    ['populate[owner][populate][lastName]=true', 'Invalid key lastName at owner.populate.lastName'],
    [
      'populate[menu][populate][ingredients][populate][grams]=1',
      'Invalid key grams at menu.populate.ingredients.populate.grams',
    ],
    ['populate[owner][populate][nope]=true', 'Invalid key nope at owner'],
    ['populate[owner][populate]=restaurants,bestFriend', 'Invalid key restaurants,bestFriend at owner'],
    ['populate[owner][populate][0]= restaurants', 'Invalid key  restaurants at owner'],
    [
      'populate[owner][populate]=restaurants.chef,bestFriend',
      'Invalid key chef,bestFriend at owner.restaurants',
    ],
    ['populate[owner][populate]=', 'Invalid key  at owner'],
    ['populate[owner]=true&populate[owner][fields]=lastName', mixed],
    ['populate[owner][0]=1&populate[owner][1]=populate.x', mixed],
    ['populate[owner][0]=lastName&populate[owner][1][fields]=x', mixed],
    ['populate[owner][0]=true&populate[owner][1][fields]=x&populate[owner][2]=1', 'Invalid key 2 at owner'],
    ['populate[owner]=true&populate[owner]=x', 'Invalid key x at owner'],
    ['populate[owner][0]=restaurants', 'Invalid key restaurants at owner.restaurants'],
    ['populate[owner][0]=*', 'Invalid key * at owner'],
    ['populate[owner]=on', 'Invalid key on at owner.on'],
    ['populate[blocks]=x', 'Expected a fragment ("on") or "count" but found "x"'],
    ['populate[blocks][0]=true', 'Expected a fragment ("on") or "count" but found ["true"]'],
    [`${hero}=image`, 'Invalid key image at blocks.image'],
    [`${hero}[0]=true`, mixed],
    [`${hero}[populate][nope][on][x]=1`, 'Invalid key nope at blocks'],
  ];
  describe('invalid parameters', () => {
    for (const [text, message] of refused) it(text, () => expect(() => outlineOf(text)).throw(message));
  });

  it('an empty list populates nothing, at any depth; one of anything but texts is refused', () => {
    const { components, zones, relations } = planOf({ populate: [] }).selection;
    expect([...components, ...zones, ...relations]).deep.equal([]);
    expect(() => planOf({ populate: { owner: { populate: [] } } })).not.to.throw();
    expect(() => planOf({ populate: [null] })).throw('Invalid populate parameter');
    expect(() => planOf({ populate: { owner: [] } })).throw(mixed);
  });

  it('an asterisk selects each attribute once, one level deep', () => {
    const { components, zones, relations } = planOf('populate=*').selection;
    const names = [...components, ...zones, ...relations].map(({ attribute }) => attribute.name);
    expect(names).deep.equal([
      'menu',
      'location',
      'blocks',
      'categories',
      'owner',
      'chef',
      'similar',
      'cover',
      'gallery',
    ]);
    expect(
      relations.every(({ targets }) => targets.every(({ selection }) => selection.relations.length === 0)),
    ).equal(true);
  });

  it('a path and its prefix are merged', () =>
    expect(outlineOf('populate[0]=menu&populate[1]=menu.ingredients')).equal(
      'menu(name, price, spicy, ingredients(name, grams, allergen))',
    ));

  const extra: readonly (readonly [string, string])[] = [
    ['populate[categories][fields]=name&populate[categories][sort]=position', 'categories(name, position)'],
    ['populate[categories][fields]=name&populate[categories][sort]=parent.position', 'categories(name)'],
    ['populate[menu][fields]=name&populate[menu][sort]=price', 'menu(name, price)'],
    ['filters[owner][firstName]=x&sort=stars', 'stars'],
    ['filters[name]=x&sort=stars', ''],
  ];
  describe('populated rows include what they are sorted by, even if not requested', () => {
    for (const [text, expected] of extra) it(text, () => expect(outlineOf(text)).equal(expected));
  });

  describe('what the caller may not find is omitted (rules A.16)', () => {
    const lite = only('api::restaurant.restaurant.find');
    it('by name', () => expect(outlineOf('populate=owner', lite)).equal(''));
    it('by an object', () => expect(outlineOf(chef, lite)).equal(''));
    it('by a full path', () => expect(outlineOf('populate=similar.chef', lite)).equal(''));
    it('inside an object', () =>
      expect(outlineOf('populate[similar][fields]=name&populate[similar][populate][chef]=true', lite)).equal(
        'similar(name)',
      ));
    it('in relations of components', () =>
      expect(outlineOf('populate[menu][fields]=name&populate[menu][populate]=category', lite)).equal(
        'menu(name)',
      ));
    it('media requires no grant', () =>
      expect(outlineOf('populate[cover][fields]=url', lite)).equal('cover(url)'));
  });

  it('filters and sort of a branch apply to its target', () => {
    const branch = planOf('populate[categories][filters][name]=x&populate[categories][sort]=position:desc')
      .selection.relations[0]?.targets[0];
    expect(branch && line(branch.filter)).equal('name eq ["x"]');
    expect(branch?.sort?.map(({ attribute, direction }) => [attribute.name, direction])).deep.equal([
      ['position', -1],
    ]);
  });

  it('components are filtered, sorted and counted too', () => {
    const menu = planOf(
      'populate[menu][filters][spicy]=true&populate[menu][sort]=name&populate[menu][count]=1',
    ).selection.components[0];
    expect(menu?.filter && line(menu.filter)).equal('spicy eq [true]');
    expect(menu?.sort?.length).equal(1);
    expect(menu?.count).equal(true);
  });

  it('publicationFilter applies to populated types that have drafts, and to no others', () => {
    const { relations } = planOf('publicationFilter=modified&populate=owner,categories').selection;
    expect(relations.map(({ targets }) => targets[0]?.publication)).deep.equal([null, 'modified']);
  });

  it('private attributes and passwords are returned to the Document Service only', () => {
    const names = (query: string | object) =>
      planOf(query as string).selection.scalars.map(({ name }) => name);
    expect(names('')).not.include.members(['secret']);
    expect(names('')).not.include.members(['internalNote']);
    expect(names({})).include.members(['secret', 'internalNote', 'locale']);
  });
});
