import { readValueAt } from '../values/decode.js';
import { ARRAY } from '../values/type-bytes.js';

/** The most bytes of all kept pipelines, and of one of them; decoded, they take several times as much. */
const MOST_BYTES = 1 << 20;
const LONGEST = 1 << 14;

const known = new Map<string, unknown>();
let size = 0;

/**
 * Decodes a pipeline. Clients send the same pipelines repeatedly: for those received recently, equal bytes
 * yield the same array, which other caches use as their key. Commands never modify what they received.
 * @throws EngineError for invalid BSON
 */
export function decodePipeline(bytes: Buffer, start: number, end: number): unknown {
  if (end - start > LONGEST) return readValueAt(bytes, ARRAY, start);
  const key = bytes.toString('latin1', start, end);
  const kept = known.get(key);
  const pipeline = kept ?? readValueAt(bytes, ARRAY, start);
  if (kept === undefined) size += key.length;
  else known.delete(key);
  known.set(key, pipeline);
  for (const oldest of known.keys()) {
    if (size <= MOST_BYTES) break;
    known.delete(oldest);
    size -= oldest.length;
  }
  return pipeline;
}
