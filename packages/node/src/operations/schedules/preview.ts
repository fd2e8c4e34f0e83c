import type { WindowPreview } from '@signalbox/protocol';
import { ApiError } from '../../errors/api-error.ts';
import { markWindows, type PreviewRequest, previewWindows } from '../../preview/index.ts';
import { operation } from '../common/operation.ts';
import { iso } from '../common/read-time.ts';

const LIMIT_MAX = 100;
const MINUTE_MS = 60_000;

/** The next windows of an expression before it is saved, with every clock change among them. */
export const previewSchedule = operation(
  async (context, _caller, params: PreviewRequest & { limit?: number }): Promise<WindowPreview> => {
    const limit = Math.min(params.limit ?? 10, LIMIT_MAX);
    const preview = previewWindows({ ...params, limit }, context.loop.time.now());
    if (preview.kind === 'refused') {
      const { field, message } = preview.refusal;
      const code = /^expr(\.|$)/.test(field) ? 'invalid_schedule' : 'invalid';
      throw new ApiError(code, message, { field });
    }
    const lines = markWindows(preview);
    return {
      windows: lines.flatMap((line) =>
        line.kind === 'window'
          ? [
              {
                at: iso(line.atMs),
                offsetMinutes: Math.round(line.offsetMs / MINUTE_MS),
                ...(line.mark === null ? {} : { mark: line.mark }),
              },
            ]
          : [],
      ),
      changes: lines.flatMap((line) =>
        line.kind === 'change'
          ? [
              {
                at: iso(line.atMs),
                offsetMinutesBefore: Math.round(line.offsetBeforeMs / MINUTE_MS),
                offsetMinutesAfter: Math.round(line.offsetAfterMs / MINUTE_MS),
              },
            ]
          : [],
      ),
    };
  },
);
