/** Operators in `locale`: reads and writes of several locales accept them, those of one locale do not (rules G.9). */
import { expect } from 'chai';
import { type TestDocuments, testDocuments } from '../support/documents.js';
import { schemaOf, typeFile } from '../support/schemas.js';

const PAGE = 'api::page.page';

describe('operators in locale', () => {
  let opened: TestDocuments;
  let documentId: string;
  before(async () => {
    const localized = { pluginOptions: { i18n: { localized: true } } };
    const title = { type: 'string', ...localized };
    const schema = schemaOf(typeFile('page', { title }, { localized: true, draftAndPublish: true }));
    opened = await testDocuments(schema);
  });
  after(() => opened.close());
  const pages = () => {
    const service = opened.documents(PAGE);
    if (!service.publish || !service.unpublish || !service.discardDraft) throw new TypeError(PAGE);
    return {
      ...service,
      publish: service.publish,
      unpublish: service.unpublish,
      discardDraft: service.discardDraft,
    };
  };
  const localesOf = (entries: readonly { locale?: unknown }[]) => entries.map(({ locale }) => locale).sort();
  beforeEach(async () => {
    for (const page of await pages().findMany({ locale: '*' }))
      await pages().delete({ documentId: String(page['documentId']), locale: '*' });
    documentId = String((await pages().create({ data: { title: 'en' } }))['documentId']);
    for (const locale of ['fr', 'de', 'it'])
      await pages().update({ documentId, locale, data: { title: locale } });
  });

  const choices: readonly (readonly [object, readonly string[]])[] = [
    [{ $in: ['fr', 'de'] }, ['de', 'fr']],
    [{ $ne: 'en' }, ['de', 'fr', 'it']],
    [{ $not: { $in: ['en', 'it'] } }, ['de', 'fr']],
    [{ $eq: 'xx' }, []],
    [{ $startsWith: 'f' }, ['fr']],
  ];
  for (const [locale, chosen] of choices)
    it(JSON.stringify(locale), async () => {
      expect(localesOf(await pages().findMany({ locale })), 'findMany').to.deep.equal(chosen);
      expect(await pages().count({ locale }), 'count').to.equal(chosen.length);
      const changes = ['publish', 'unpublish', 'discardDraft', 'clone'] as const;
      for (const method of changes) {
        const { entries } = await pages()[method]({ documentId, locale });
        expect(localesOf(entries), method).to.deep.equal(chosen);
        if (method === 'unpublish') await pages().publish({ documentId, locale });
        if (method === 'publish')
          expect(await pages().count({ locale: '*', status: 'published' })).to.equal(chosen.length);
      }
    });

  it('delete removes only the selected locales', async () => {
    await pages().delete({ documentId, locale: { $in: ['fr', 'it'] } });
    expect(localesOf(await pages().findMany({ locale: '*' }))).to.deep.equal(['de', 'en']);
  });

  it('a read or write of one entry requires one locale', async () => {
    const locale = { $eq: 'fr' };
    for (const call of [
      () => pages().findOne({ documentId, locale }),
      () => pages().update({ documentId, locale, data: { title: 'x' } }),
      () => pages().create({ locale, data: { title: 'x' } }),
    ])
      expect(await call().then(String, String)).to.include('Document locales must be strings');
  });

  it('an object without operators is not a locale', async () => {
    for (const call of [
      () => pages().delete({ documentId, locale: { en: true } }),
      () => pages().findMany({ locale: { en: true } }),
    ])
      expect(await call().then(String, String)).to.include("Invalid parameter at 'locale'");
    expect(await pages().count({ locale: '*' })).to.equal(4);
  });
});
