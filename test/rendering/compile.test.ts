import { Decimal128, Long } from 'bson';
import { expect } from 'chai';
import type { Doc } from '../../src/pipeline/types.js';
import type {
  ReadPlan,
  RelationSelection,
  RelationTarget,
  SelectedFields,
} from '../../src/query/read-plan.js';
import { compileRender } from '../../src/render/bytes/compile.js';
import type { RenderOptions } from '../../src/render/bytes/relations.js';
import type { ContentType, ScalarAttribute } from '../../src/schema/types.js';
import { componentFile, schemaOf, typeFile } from '../support/schemas.js';

const schema = schemaOf(
  componentFile('a.item', { label: { type: 'string' }, hidden: { type: 'string', private: true } }),
  typeFile('thing', {
    text: { type: 'string' },
    whole: { type: 'integer' },
    big: { type: 'biginteger' },
    money: { type: 'decimal' },
    share: { type: 'float' },
    yes: { type: 'boolean' },
    day: { type: 'date' },
    hour: { type: 'time' },
    at: { type: 'datetime' },
    stamp: { type: 'timestamp' },
    data: { type: 'json' },
    secret: { type: 'string', private: true },
    one: { type: 'component', component: 'a.item' },
    many: { type: 'component', component: 'a.item', repeatable: true },
    zone: { type: 'dynamiczone', components: ['a.item'] },
    parent: { type: 'relation', relation: 'manyToOne', target: 'api::thing.thing' },
  }),
);
const found = schema.contentTypes.get('api::thing.thing');
if (!found) throw new Error('no thing');
const type: ContentType = found;

const scalars = (of: ReadonlyMap<string, unknown>, ...names: string[]): ScalarAttribute[] =>
  names.map((name) => of.get(name) as ScalarAttribute);
const selectionOf = (names: readonly string[], more: Partial<SelectedFields> = {}): SelectedFields => ({
  model: type,
  scalars: scalars(type.attributes, 'id', 'documentId', ...names),
  components: [],
  zones: [],
  relations: [],
  ...more,
});
const render = (selection: SelectedFields, row: Doc, options: Partial<RenderOptions> = {}): unknown => {
  const plan = { type, selection } as ReadPlan;
  return compileRender(plan, { componentIds: true, v4: false, ...options }).entry(row);
};
const row = { id: 1, documentId: 'd1', _id: 'x', secret: 's' };

describe('rendering (rules C.3 to C.7)', () => {
  const values: readonly (readonly [string, unknown, unknown])[] = [
    ['text', 'a', 'a'],
    ['text', undefined, null],
    ['whole', 5, 5],
    ['whole', Long.fromNumber(5), 5],
    ['big', Long.fromString('9007199254740993'), '9007199254740993'],
    ['big', null, null],
    ['money', Decimal128.fromString('12.50'), 12.5],
    ['share', -1.5, -1.5],
    ['yes', false, false],
    ['day', '2024-02-29', '2024-02-29'],
    ['hour', '08:30:00.000', '08:30:00.000'],
    ['at', new Date('2024-01-15T10:30:00Z'), '2024-01-15T10:30:00.000Z'],
    ['stamp', new Date(1705314600000), '1705314600000'],
    ['data', { a: [1, null] }, { a: [1, null] }],
    ['data', { n: Long.fromNumber(7) }, { n: 7 }],
    ['data', [], []],
  ];
  for (const [name, stored, shown] of values)
    it(`${name}: ${String(stored)} as ${JSON.stringify(shown)}`, () =>
      expect(render(selectionOf([name]), { ...row, [name]: stored })).to.deep.equal({
        id: 1,
        documentId: 'd1',
        [name]: shown,
      }));

  it('starts with id and documentId', () => {
    const plan = { type, selection: selectionOf(['text']) } as ReadPlan;
    const shown = compileRender(plan, { componentIds: true, v4: false }).entry({ text: 'a', ...row });
    expect(Object.keys(shown)).to.deep.equal(['id', 'documentId', 'text']);
  });

  it('returns nothing that is not selected', () =>
    expect(render(selectionOf([]), { ...row, text: 'a', at: 1 })).to.deep.equal({ id: 1, documentId: 'd1' }));

  const item = schema.components.get('a.item');
  if (!item) throw new Error('no item');
  const inner: SelectedFields = {
    model: item,
    scalars: scalars(item.attributes, 'id', 'label'),
    components: [],
    zones: [],
    relations: [],
  };
  const components = (['one', 'many'] as const).map((name) => ({
    attribute: type.attributes.get(name) as never,
    selection: inner,
  }));
  const zones = [{ attribute: type.attributes.get('zone') as never, on: new Map([['a.item', inner]]) }];
  const stored = { id: 7, label: 'l', hidden: 'h' };

  it('returns components with and without their ids', () => {
    const whole = {
      ...row,
      one: stored,
      many: [stored],
      zone: [{ __component: 'a.item', ...stored }, { __component: 'a.old' }],
    };
    const shown = { id: 7, label: 'l' };
    expect(render(selectionOf([], { components, zones }), whole)).to.deep.equal({
      id: 1,
      documentId: 'd1',
      one: shown,
      many: [shown],
      zone: [{ ...shown, __component: 'a.item' }],
    });
    expect(render(selectionOf([], { components, zones }), whole, { componentIds: false })).to.deep.include({
      one: { label: 'l' },
      many: [{ label: 'l' }],
      zone: [{ label: 'l', __component: 'a.item' }],
    });
  });

  it('returns null and [] for missing values', () =>
    expect(render(selectionOf([], { components, zones }), row)).to.deep.include({
      one: null,
      many: [],
      zone: [],
    }));

  const relations = [
    {
      attribute: type.attributes.get('parent') as never,
      count: false,
      targets: [
        {
          target: type,
          status: 'published',
          locale: { kind: 'none' },
          filter: { kind: 'always' },
          moment: null,
          publication: null,
          sort: null,
          selection: selectionOf(['text']),
        } as const,
      ],
    },
  ];

  it('returns rows in the order of their ids if no references order them', () => {
    const localized = schemaOf(typeFile('page', { title: { type: 'string' } }, { localized: true }));
    const page = localized.contentTypes.get('api::page.page') as ContentType;
    const of = (relations: SelectedFields['relations']): SelectedFields => ({
      ...selectionOf([]),
      model: page,
      scalars: scalars(page.attributes, 'id'),
      relations,
    });
    const attribute = page.attributes.get('localizations') as RelationSelection['attribute'];
    const target = { target: page, sort: null, selection: of([]) } as unknown as RelationTarget;
    const plan = { type: page, selection: of([{ attribute, targets: [target], count: false }]) } as ReadPlan;
    const rows = [11, 3, 2].map((id) => ({ id, documentId: 'd1' }));
    const shown = compileRender(plan, { componentIds: true, v4: false }).entry({
      id: 1,
      documentId: 'd1',
      _r0: rows,
    });
    expect(shown['localizations']).to.deep.equal([rows[2], rows[1], rows[0]]);
  });

  it('has the v4 format on request (rules P.2)', () => {
    const selection = selectionOf(['text'], { components, relations });
    const whole = { ...row, text: 't', one: stored, _r0: [{ id: 2, documentId: 'd2', text: 'p' }] };
    expect(render(selection, whole, { v4: true })).to.deep.equal({
      id: 1,
      documentId: 'd1',
      attributes: {
        text: 't',
        one: { id: 7, label: 'l' },
        many: [],
        parent: { data: { id: 2, documentId: 'd2', attributes: { text: 'p' } } },
      },
    });
    expect(render(selectionOf([], { relations }), { ...row, _r0: [] }, { v4: true })).to.have.nested.property(
      'attributes.parent.data',
      null,
    );
  });

  it('escapes names', () => {
    const odd = { ...(type.attributes.get('text') as ScalarAttribute), name: 'a"];process.exit();//' };
    const selection = { ...selectionOf([]), scalars: [odd] };
    expect(render(selection, { ...row, [odd.name]: 'v' })).to.deep.include({ [odd.name]: 'v' });
  });
});
