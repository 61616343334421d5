import { type ErrorName, fail } from '../errors.js';
import { sizeOf } from './size.js';
import { currentWork } from './work.js';

/** The number of values that are all measured, before only every n-th is. */
const MEASURED = 64;
const EVERY = 16;

/** What an operation keeps of a stream, measured by samples, and its limit. */
export class Hold {
  private bytes = 0;
  private count = 0;

  constructor(
    private readonly limit: number,
    private readonly what: string,
    private readonly code: number | ErrorName = 'ExceededMemoryLimit',
  ) {}

  /** Throws if what is kept exceeds the limit. */
  add(value: unknown): void {
    this.count += 1;
    if (this.count > MEASURED && this.count % EVERY !== 0) return;
    this.bytes += sizeOf(value) * (this.count > MEASURED ? EVERY : 1);
    if (this.bytes > this.limit)
      fail(
        this.code,
        `${this.what} used too much memory and cannot spill to disk. Memory limit: ${this.limit} bytes`,
      );
  }
}

/** What `$push` may keep for one group. */
export const pushHold = (): Hold => new Hold(currentWork().limits.pushBytes, '$push');
/** What `$addToSet` may keep for one group. */
export const setHold = (): Hold => new Hold(currentWork().limits.addToSetBytes, '$addToSet');
/** What `$graphLookup` may keep of the documents and values that it has reached. */
export const graphHold = (): Hold => new Hold(currentWork().limits.groupBytes, '$graphLookup', 40099);
/** What `$facet` may produce. */
export const facetHold = (): Hold => new Hold(currentWork().limits.facetBytes, '$facet', 4031700);
/** What `$regexFindAll` may find in one string. */
export const regexHold = (): Hold => new Hold(64 * 1024 * 1024, '$regexFindAll', 51151);

/** The limit of a stage that may use the disk beyond it, if allowed; here it uses memory instead. */
const spilling = (limit: 'sortBytes' | 'groupBytes', what: string): Hold => {
  const { limits, allowDiskUse } = currentWork();
  const most = allowDiskUse ? Number.POSITIVE_INFINITY : limits[limit];
  return new Hold(most, what, 'QueryExceededMemoryLimitNoDiskUseAllowed');
};

/** What `$sort` may keep without the disk. */
export const sortHold = (): Hold => spilling('sortBytes', '$sort');
/** What `$group` may keep without the disk. */
export const groupHold = (): Hold => spilling('groupBytes', '$group');
