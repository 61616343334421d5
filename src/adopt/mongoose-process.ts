/** A process in which Mongoose models are loaded: `mongoose-process.js <folder>`. It ends when it has sent them. */
import { reasonOf } from '../values/reason-of.js';
import { type MongooseModels, readMongoose } from './mongoose.js';

/** The models, or why there are none. */
export type Loaded = { readonly models: MongooseModels } | { readonly failed: string };

const loaded: Loaded = await readMongoose(process.argv[2] ?? '.').then(
  (models) => ({ models }),
  (error: unknown) => ({ failed: reasonOf(error) }),
);
// Models may have opened connections, or begun timers.
process.send?.(loaded, () => process.exit());
