import type { SchemaFile } from '../schema/files/read.js';
import type { FromCode } from '../schema/load.js';
import type { Schema } from '../schema/types.js';
import { ROLE_UID } from '../schema/uids.js';
import { Descriptions } from './models.js';
import { additionTo, changeOfOwn } from './schema-changes.js';
import { refuse } from './unsupported.js';

interface Around {
  readonly additions: readonly SchemaFile[];
  /** The schema of the files with what code makes of it. @throws SchemaError */
  readonly extended: (given: FromCode) => Promise<Schema>;
  readonly lifecycles: (uid: string, given: unknown) => void;
}

/** The schema as the project's code leaves it: as in Strapi, `register` may change the models that `strapi` describes. */
export class CodeSchema {
  readonly models: Descriptions;
  /** What code has made of the schema of the files. */
  given: Required<FromCode>;

  constructor(
    private schema: Schema,
    private readonly around: Around,
  ) {
    this.models = new Descriptions(schema);
    this.given = { additions: around.additions, changes: [] };
  }

  get now(): Schema {
    return this.schema;
  }

  /** Makes the schema of what `register` in `file` has changed. @throws Unsupported or SchemaError if it cannot be */
  async takeChanges(file: string): Promise<void> {
    const changed = this.models.takeChanges();
    if (changed.length === 0) return;
    const additions = [...this.given.additions];
    const changes = [...this.given.changes];
    for (const [model, change] of changed) {
      const { uid } = model;
      if (change.lifecycles !== undefined) {
        if (model.modelType === 'component' || uid === ROLE_UID) refuse(`lifecycles of ${uid}`);
        this.around.lifecycles(uid, change.lifecycles);
      }
      if (model.modelType === 'component' || model.origin === 'api') changes.push(changeOfOwn(model, change));
      else additions.push(additionTo(model, change, `${file} › register`));
    }
    const given = { additions, changes };
    this.schema = await this.around.extended(given);
    this.given = given;
  }

  /** The database is made for the schema by now. @throws Unsupported if `hook` has changed it */
  refuseChanges(hook: string): void {
    for (const [{ uid }, { sections }] of this.models.takeChanges()) {
      const [name] = Object.keys(sections.attributes);
      refuse(`a change of ${uid}${name === undefined ? '' : ` (${name})`} by ${hook}, after register,`);
    }
  }
}
