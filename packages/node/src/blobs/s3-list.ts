/** What one page of a bucket's listing holds (ListObjectsV2). */
export interface S3Page {
  readonly folders: readonly string[];
  readonly objects: readonly { readonly key: string; readonly modifiedMs: number }[];
  /** Where the next page begins; null on the last. */
  readonly next: string | null;
}

/** Reads the few elements that are used; keys and folders here are plain letters, digits and dashes. */
export function readS3Page(xml: string): S3Page {
  const folders = blocks(xml, 'CommonPrefixes').flatMap((block) => blocks(block, 'Prefix'));
  const objects = blocks(xml, 'Contents').flatMap((block) => {
    const [key] = blocks(block, 'Key');
    const [modified] = blocks(block, 'LastModified');
    if (key === undefined || modified === undefined) return [];
    return [{ key: plain(key), modifiedMs: Date.parse(modified) }];
  });
  const [next] = blocks(xml, 'NextContinuationToken');
  return { folders: folders.map(plain), objects, next: next === undefined ? null : plain(next) };
}

function blocks(xml: string, element: string): string[] {
  const found = xml.matchAll(new RegExp(`<${element}>([^]*?)</${element}>`, 'g'));
  return [...found].map(([, content]) => content as string);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&amp;': '&',
};

function plain(text: string): string {
  return text.replaceAll(/&(?:lt|gt|quot|apos|amp);/g, (entity) => ENTITIES[entity] as string);
}
