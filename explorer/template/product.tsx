import { TemplatePicture } from '../picture/template-picture.tsx'
import type { FullTemplate } from './read.ts'
import './product.css'
import { type ProductFacts, readProduct } from './read-product.ts'

/** A product as buyers see it. Messages for the owner are only in the table of traits. */
export function Product({ template }: { template: FullTemplate }) {
  const { name, document } = template
  const product = readProduct(template)
  const { title, kind, features, facts, warning, notes, photos } = product
  return (
    <section class="product card" aria-label="As a buyer sees it">
      <TemplatePicture image={document?.image} name={name} without="nothing" />
      <div class="words stack">
        {kind !== '' && <p class="kind muted">{kind}</p>}
        <h2>{title}</h2>
        {document?.description && <p class="about muted">{document.description}</p>}
        {features.length > 0 && (
          <ul class="features across" aria-label="Features">
            {features.map(feature => (
              <li key={feature} class="pill">
                {feature}
              </li>
            ))}
          </ul>
        )}
        <dl class="record">
          {facts.map(([label, text]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
        {notes.map(note => (
          <p key={note} class="note">
            {note}
          </p>
        ))}
        {warning !== '' && <p class="notice warning">{warning}</p>}
        <Links links={product.links} />
        {photos.length > 0 && (
          <div class="photos across">
            {photos.map(link => (
              <TemplatePicture key={link} image={link} name={link} without="nothing" />
            ))}
          </div>
        )}
      </div>
    </section>
  )
}

function Links({ links }: Pick<ProductFacts, 'links'>) {
  if (links.length === 0) return null
  return (
    <p class="links across">
      {links.map(([label, address]) => (
        <a key={label} href={address} title={address} rel="noreferrer noopener" target="_blank">
          {label} ↗
        </a>
      ))}
    </p>
  )
}
