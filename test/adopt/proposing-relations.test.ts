/** Which of the fields whose values occur in another collection refer to it. */
import { ObjectId } from 'bson';
import { expect } from 'chai';
import { many, proposals } from './proposals.js';

const idAt = (n: number): ObjectId => ObjectId.createFromHexString(n.toString(16).padStart(24, '0'));

describe('mangrove adopt tells references from equal values', () => {
  const { store, look, put } = proposals();

  /** The references that are proposed, such as `comments.movie_id -> movies._id`. */
  const found = async (...collections: string[]): Promise<string[]> =>
    (await look({ collections })).types.flatMap(({ collection, references }) =>
      references.map(
        ({ candidate, to, path }) => `${collection}.${candidate.path} -> ${to.facts.name}.${path}`,
      ),
    );

  it('keys named id, beside the _id', async () => {
    await put({
      auth_user: many(30, (n) => ({ id: n + 1, name: `user${n}` })),
      auth_group: many(3, (n) => ({ id: n + 1, name: `group${n}` })),
      memberships: many(40, (n) => ({ id: n + 1, user_id: (n % 30) + 1, group: { id: (n % 3) + 1 } })),
    });
    expect(await found('auth_user', 'auth_group', 'memberships')).to.deep.equal([
      'memberships.user_id -> auth_user.id',
      'memberships.group.id -> auth_group.id',
    ]);
  });

  it('the key of a collection, where another has each of its values once', async () => {
    await put({
      accounts: many(50, (n) => ({ account_id: n * n * 17 + 1000, limit: n })),
      transactions: many(50, (n) => ({ account_id: n * n * 17 + 1000, count: 3 })),
      balances: many(50, (n) => ({ account_id: n * n * 17 + 1000, amount: n / 3 })),
      books: many(50, (n) => ({ isbn: `978-${n}` })),
      loans: many(30, (n) => ({ isbn: `978-${n}` })),
    });
    expect(await found('accounts', 'transactions', 'balances', 'books', 'loans')).to.deep.equal([
      'balances.account_id -> accounts.account_id',
      'loans.isbn -> books.isbn',
      'transactions.account_id -> accounts.account_id',
    ]);
  });

  it('numbers and descriptions that happen to be in a field of the same name', async () => {
    await put({
      chapters: many(40, (n) => ({ n, name: `Part ${n % 25} of ${n}`, words: n * 31 })),
      verses: many(30, (n) => ({ n, name: `Part ${n % 25} of ${n}`, lines: [{ n: n % 5 }] })),
    });
    expect(await found('chapters', 'verses')).to.deep.equal([]);
  });

  it('copies of fields of a document that is referred to', async () => {
    const user = (n: number) => ({ name: `Ann ${n}`, email: `a${n}@example.org` });
    await put({
      users: many(20, (n) => ({ _id: idAt(n + 1), ...user(n) })),
      comments: many(60, (n) => ({ ...user(n % 20), text: 't' })),
      orders: many(60, (n) => ({
        user_id: idAt((n % 20) + 1),
        user: user(n % 20),
        seller: user((n + 3) % 20),
      })),
    });
    await store().db.collection('users').createIndex({ email: 1 }, { unique: true });
    expect(await found('users', 'comments', 'orders')).to.deep.equal([
      'comments.email -> users.email',
      'orders.user_id -> users._id',
      'orders.seller.email -> users.email',
    ]);
  });

  it('copies of whole documents', async () => {
    const film = (n: number) => ({ _id: idAt(n + 1), plot: `plot ${n % 90}`, slug: `film-${n}` });
    await put({
      films: many(100, film),
      films_with_vectors: many(40, (n) => ({ ...film(n), vector: [n / 3] })),
      reviews: many(60, (n) => ({ slug: `film-${n % 30}`, stars: n % 5 })),
    });
    expect(await found('films', 'films_with_vectors', 'reviews')).to.deep.equal([
      'reviews.slug -> films.slug',
    ]);
  });

  it('gives names to what is stored before the other sides', async () => {
    await put({
      clubs: many(5, (n) => ({ _id: idAt(n + 1), member_ids: [idAt(100 + n)] })),
      members: many(5, (n) => ({ _id: idAt(100 + n), club_ids: [idAt(n + 1)] })),
    });
    const { types } = await look({ collections: ['clubs', 'members'] });
    expect(types.map(({ schema }) => Object.keys(Object(schema['attributes'])).sort())).to.deep.equal([
      ['members', 'membersByClubs'],
      ['clubs', 'clubsByMembers'],
    ]);
  });

  it('gives fields that are valid names their own names, and others the rest', async () => {
    await put({ odd: many(3, () => ({ 'a-b': 1, aB: 2, '\uFEFFISO': 3, 'Message-ID': 4, 'X-From': 5 })) });
    const [type] = (await look({ collections: ['odd'] })).types;
    expect(type?.schema['pluginOptions'])
      .to.have.nested.property('mangrove.storage.fields')
      .that.deep.equals({
        aB2: 'a-b',
        iso: '\uFEFFISO',
        messageID: 'Message-ID',
        xFrom: 'X-From',
      });
  });
});
