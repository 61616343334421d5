import { type ErrorName, fail } from '../errors.js';
import { sizeOf } from './size.js';
import { currentWork } from './work.js';

/** Values that are all measured, before only every so many are. */
const MEASURED = 64;
const EVERY = 16;

/** What an operation holds of a stream, measured by samples, and where it ends. */
export class Hold {
  private bytes = 0;
  private count = 0;

  constructor(
    private readonly limit: number,
    private readonly what: string,
    private readonly code: number | ErrorName = 'ExceededMemoryLimit',
  ) {}

  /** Throws where what is held exceeds the limit. */
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

/** What `$push` may hold for one group. */
export const pushHold = (): Hold => new Hold(currentWork().limits.pushBytes, '$push');
/** What `$addToSet` may hold for one group. */
export const setHold = (): Hold => new Hold(currentWork().limits.addToSetBytes, '$addToSet');
/** What `$graphLookup` may hold of the documents and values that it has reached. */
export const graphHold = (): Hold => new Hold(currentWork().limits.groupBytes, '$graphLookup', 40099);
/** What `$facet` may make. */
export const facetHold = (): Hold => new Hold(currentWork().limits.facetBytes, '$facet', 4031700);
/** What `$regexFindAll` may find in one string. */
export const regexHold = (): Hold => new Hold(64 * 1024 * 1024, '$regexFindAll', 51151);

/** What a stage may hold that uses the disk beyond it, where that is allowed; here it is memory then. */
const spilling = (
  limit: 'sortBytes' | 'groupBytes' | 'windowBytes',
  what: string,
  code: number | ErrorName = 'QueryExceededMemoryLimitNoDiskUseAllowed',
): Hold => {
  const { limits, allowDiskUse } = currentWork();
  return new Hold(allowDiskUse ? Number.POSITIVE_INFINITY : limits[limit], what, code);
};

/** What `$sort` may hold without the disk. */
export const sortHold = (): Hold => spilling('sortBytes', '$sort');
/** What `$group` may hold without the disk. */
export const groupHold = (): Hold => spilling('groupBytes', '$group');
/** What `$setWindowFields` may hold without the disk. */
export const windowHold = (): Hold => spilling('windowBytes', '$setWindowFields', 5643011);
