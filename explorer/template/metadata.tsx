import { service } from '../api.ts'
import { TemplatePicture } from '../picture/template-picture.tsx'
import { Copy } from '../ui/copy.tsx'
import { Loading } from '../ui/reading.tsx'
import { useRead } from '../ui/use-read.ts'
import './metadata.css'
import type { FullTemplate } from './read.ts'

interface Document {
  name?: unknown
  description?: unknown
  attributes?: { trait_type?: unknown; value?: unknown }[]
}

/** The maximum number of traits in the preview. */
const maxTraits = 24

/** The public metadata of a template, with a preview of a marketplace's card. */
export function Metadata({ template }: { template: FullTemplate }) {
  const address = new URL(`metadata/${template.id}.json`, service).href
  const { data: text } = useRead(
    async signal => {
      const response = await fetch(address, { signal })
      return response.ok ? response.text() : null
    },
    [address, template.revision]
  )
  if (text === undefined) return <Loading />
  if (text === null)
    return (
      <p class="notice">This template is not public, so wallets and marketplaces get the response 404.</p>
    )
  const document: Document = JSON.parse(text)
  return (
    <div class="metadata two-columns">
      <section aria-label="Metadata">
        <p class="muted">
          <a href={address}>{address}</a> <Copy text={address} label="Copy the address" />
        </p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
        <pre class="scrolls card" tabIndex={0}>
          {JSON.stringify(document, null, 2)}
        </pre>
      </section>
      <section class="market card" aria-label="As a marketplace would show it">
        <TemplatePicture image={template.document?.image} name={template.name} without="nothing" />
        <div class="words stack">
          <strong>{String(document.name ?? '')}</strong>
          <p class="muted">{String(document.description ?? '').slice(0, 200)}</p>
          <ul>
            {document.attributes?.slice(0, maxTraits).map(({ trait_type, value }, at) => (
              <li key={at}>
                <span>{String(trait_type ?? '')}</span>
                {String(value).slice(0, 60)}
              </li>
            ))}
          </ul>
        </div>
      </section>
    </div>
  )
}
