import type { ContentType } from '../schema/types.js';
import { type DryNotes, openDryContext } from './context.js';
import { createWrites } from './operations/run-writes.js';
import type { ContentRequest, RequestService } from './request.js';
import { requestService } from './request-service.js';
import type { DocumentsOptions } from './service.js';
import type { WriteTrace } from './trace.js';

/** What is learned of a write that is not sent. */
export interface DryRunNotes extends DryNotes {
  readonly trace: WriteTrace;
}

/** The service of a content type for a request, which goes through all steps of a write and stores nothing. */
export async function dryRun(
  options: DocumentsOptions,
  type: ContentType,
  notes: DryRunNotes,
): Promise<(request: ContentRequest) => RequestService> {
  const { reader } = options;
  const context = await openDryContext(options, notes.trace, notes);
  const writes = createWrites(context, reader, type);
  return (request) =>
    requestService(
      {
        type,
        context,
        reader,
        writes,
        through: (_, params, run) => run(params),
        isWrapped: () => false,
      },
      request,
    );
}
