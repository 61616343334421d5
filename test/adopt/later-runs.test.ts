/** What another run of adopt makes of schema files that exist: it adds what the database has since got. */
import { ObjectId } from 'bson';
import { expect } from 'chai';
import { OWN_LAYOUT, planProposal } from '../../src/adopt/files.js';
import type { PlainObject } from '../../src/values/plain-object.js';
import { many, proposals } from './proposals.js';

const idAt = (n: number): ObjectId => ObjectId.createFromHexString(n.toString(16).padStart(24, '0'));
const TYPE = (name: string) => `content-types/${name}/schema.json`;

describe('mangrove adopt, run again', () => {
  const { look, put } = proposals();
  let files: Map<string, PlainObject>;
  beforeEach(() => {
    files = new Map();
  });

  /** Runs it, and returns the paths of the files that it writes, and the changes. */
  const adopt = async (...collections: string[]) => {
    const plan = planProposal(await look({ collections }), OWN_LAYOUT, files);
    for (const { path, content } of plan.files) files.set(path, JSON.parse(JSON.stringify(content)));
    return { written: plan.files.map(({ path }) => path), changes: plan.changes };
  };
  const attributesOf = (path: string) => files.get(path)?.['attributes'] as Record<string, PlainObject>;

  it('writes the component of a document that is new inside another', async () => {
    await put({ houses: many(5, (n) => ({ place: { city: `c${n}` } })) });
    await adopt('houses');
    await put({ houses: many(5, (n) => ({ place: { city: `c${n}`, geo: { spots: [{ x: n }] } } })) });
    expect((await adopt('houses')).written).to.deep.equal([
      TYPE('house'),
      'content-types/components/house/place.json',
      'content-types/components/house/place-geo.json',
      'content-types/components/house/place-geo-spots.json',
    ]);
    expect((await adopt('houses')).written).to.deep.equal([]);
  });

  it('relates a field to a collection that came later, on both sides', async () => {
    await put({
      poems: many(10, (n) => ({ title: `p${n}`, poet_id: idAt((n % 5) + 1), by: [{ who_id: idAt(1) }] })),
    });
    await adopt('poems');
    expect(attributesOf(TYPE('poem'))).to.have.all.keys('title', 'poet_id', 'by');
    await put({ poets: many(5, (n) => ({ _id: idAt(n + 1), name: `poet ${n}` })) });
    expect(await adopt('poems', 'poets')).to.deep.equal({
      written: [TYPE('poem'), 'content-types/components/poem/by.json', TYPE('poet')],
      changes: [
        'api::poem.poem: poet_id was objectId and is objectId -> poets._id',
        'api::poem.poem: by.who_id was objectId and is objectId -> poets._id',
      ],
    });
    expect(attributesOf(TYPE('poem'))['poet']).to.include({ target: 'api::poet.poet', inversedBy: 'poems' });
    expect(attributesOf(TYPE('poet'))['poems']).to.include({ target: 'api::poem.poem', mappedBy: 'poet' });
    expect(await adopt('poems', 'poets')).to.deep.equal({ written: [], changes: [] });
  });

  it('leaves out what was deleted from the files, and the other side of that', async () => {
    await put({
      clerks: many(5, (n) => ({ _id: idAt(n + 1), name: `clerk ${n}`, desk: { no: n } })),
      forms: many(10, (n) => ({ clerk_id: idAt((n % 5) + 1), signer: idAt((n % 5) + 1), n })),
    });
    await adopt('clerks', 'forms');
    expect(attributesOf(TYPE('clerk'))).to.have.all.keys('name', 'desk', 'forms', 'formsBySigner');
    const { forms: _forms, formsBySigner: _signed, desk: _desk, ...kept } = attributesOf(TYPE('clerk'));
    files.set(TYPE('clerk'), { ...files.get(TYPE('clerk')), attributes: kept });
    const { signer: _signer, ...rest } = attributesOf(TYPE('form'));
    files.set(TYPE('form'), { ...files.get(TYPE('form')), attributes: rest });
    files.delete('content-types/components/clerk/desk.json');
    expect((await adopt('clerks', 'forms')).written).to.deep.equal([]);
  });
});
