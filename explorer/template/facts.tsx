import { Face } from '../face/face.tsx'
import { Copy } from '../parts/copy.tsx'
import { Time } from '../parts/time.tsx'
import { count, kindOf } from '../words.ts'
import type { Full } from './read.ts'

/** The picture, and below it what the service keeps of a template besides its document. */
export function Facts({ template }: { template: Full }) {
  const { id, name, document, blockchainId, maxItems, componentName, timeCreated, timeModified, hash } =
    template
  return (
    <div class="left">
      <div class="picture">
        <Face image={document?.image} name={name} />
      </div>
      <dl class="facts-list">
        <dt>Id</dt>
        <dd>{id}</dd>
        <dt>Component</dt>
        <dd title={componentName}>{kindOf(componentName)}</dd>
        <dt>Blockchain</dt>
        <dd>{blockchainId}</dd>
        <dt>Max items</dt>
        <dd>{count(maxItems)}</dd>
        <dt>Created</dt>
        <dd>
          <Time time={timeCreated} />
        </dd>
        <dt>Modified</dt>
        <dd>
          <Time time={timeModified} />
        </dd>
        <dt>Hash</dt>
        <dd>
          <span class="mono" title={hash}>
            {shortHash(hash)}
          </span>{' '}
          <Copy text={hash} label="Copy the hash" />
        </dd>
      </dl>
    </div>
  )
}

/** `sha256:` and the ends of the digits. */
export const shortHash = (hash: string): string => `${hash.slice(0, 11)}…${hash.slice(-4)}`
