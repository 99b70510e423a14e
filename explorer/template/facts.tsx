import { type ComponentChildren, Fragment } from 'preact'
import { columns } from '../../domain/columns.ts'
import { parseObject } from '../../runtime/json-values.ts'
import { chainName, formatCount, kindOf } from '../format.ts'
import { PictureProblem } from '../picture/picture-problem.tsx'
import { TemplatePicture } from '../picture/template-picture.tsx'
import { Copy } from '../ui/copy.tsx'
import { Time } from '../ui/time.tsx'
import { columnNames } from './parts.ts'
import type { FullTemplate } from './read.ts'

/** The heading shows the other fields. */
const fields = ['id', 'timeCreated', 'timeModified'] as const
/** The fields that concern the items to mint. */
const chainFields = columnNames.filter(column => column !== 'name' && column !== 'publicProduct')

/** The picture and, below it, the fields of a template besides its document. */
export function Facts({ template }: { template: FullTemplate }) {
  const { name, document, hash } = template
  const productId = parseObject(template.data)?.productId
  return (
    <div class="left">
      <div class="picture">
        <TemplatePicture image={document?.image} name={name} />
      </div>
      <PictureProblem link={document?.image} />
      <dl class="facts-list">
        {(typeof productId === 'string' || typeof productId === 'number') && productId !== '' && (
          <>
            <dt>Product id</dt>
            <dd>{productId}</dd>
          </>
        )}
        <Fields fields={fields} template={template} />
      </dl>
      <details class="on-the-chain">
        <summary>On the chain</summary>
        <dl class="facts-list">
          <Fields fields={chainFields} template={template} />
          <dt>Hash</dt>
          <dd>
            <span class="mono" title={hash}>
              {shortHash(hash)}
            </span>{' '}
            <Copy text={hash} label="Copy the hash" />
          </dd>
        </dl>
      </details>
    </div>
  )
}

type FactField = (typeof fields)[number] | (typeof chainFields)[number]

const Fields = ({ fields, template }: { fields: readonly FactField[]; template: FullTemplate }) =>
  fields.map(field => (
    <Fragment key={field}>
      <dt>{columns[field].label}</dt>
      <dd title={field === 'componentName' ? template.componentName : undefined}>{show(field, template)}</dd>
    </Fragment>
  ))

function show(field: FactField, template: FullTemplate): ComponentChildren {
  const value = template[field]
  if (columns[field].type === 'time') return <Time time={String(value)} />
  if (field === 'componentName') return kindOf(template.componentName)
  if (field === 'blockchainId') return chainName(template.blockchainId)
  return field === 'maxItems' ? formatCount(template.maxItems) : value
}

/** Shortens a hash to its first and last digits. */
const shortHash = (hash: string): string => `${hash.slice(0, 11)}…${hash.slice(-4)}`
