import { Fragment } from 'preact'
import { isObject } from '../../db/templates/table/document.ts'
import { parseObject } from '../template/parts.ts'
import { Field } from './field.tsx'
import { PictureUpload } from './picture-upload.tsx'
import { fieldOf, type Problem } from './problem.ts'
import { keysOf, type Schema, traitNames } from './schema.ts'
import { changeText } from './text-edit.ts'
import { TextInput } from './text-input.tsx'
import { TraitRow } from './trait-row.tsx'

interface Props {
  data: string
  /** What the draft began with. */
  begunWith: string
  schema: Schema
  problems: Problem[]
  onChange: (data: string) => void
  onRemoveTrait: (index: number) => void
}

/** The document as a form that follows its JSON Schema. Each change is made in the text, and nothing else of it. */
export function DocumentForm({ data, begunWith, schema, problems, onChange, onRemoveTrait }: Props) {
  const document = parseObject(data)
  if (!document) return <p class="notice warning">The text is not a JSON object. Correct it under “Text”.</p>
  const begun = parseObject(begunWith)
  const at = (pointer: string) => problems.filter(problem => fieldOf(problem) === pointer)
  const traits = Array.isArray(document.attributes) ? document.attributes : []
  const addTrait = () =>
    onChange(
      Array.isArray(document.attributes)
        ? changeText(data, ['attributes', traits.length], { trait_type: '', value: '' }, true)
        : changeText(data, ['attributes'], [{ trait_type: '', value: '' }])
    )
  return (
    <>
      {keysOf(schema).map(([key, { title, description }]) => (
        <Fragment key={key}>
          <Field name={`/${key}`} label={title} hint={description} problems={at(`/${key}`)}>
            <TextInput
              isLong={key === 'description'}
              value={toText(document[key])}
              onChange={text => onChange(changeKey(data, key, text, begun?.[key]))}
            />
          </Field>
          {key === 'image' && (
            <PictureUpload
              link={toText(document[key])}
              onUpload={link => onChange(changeText(data, [key], link))}
            />
          )}
        </Fragment>
      ))}
      <section aria-label="Traits">
        <h2 class="section-title">
          Traits
          <button type="button" class="button" onClick={addTrait}>
            Add a trait
          </button>
        </h2>
        <div class="trait-rows">
          {traits.map((trait, index) => (
            <TraitRow
              key={index}
              index={index}
              trait={trait}
              problems={problems.filter(problem => fieldOf(problem).startsWith(`/attributes/${index}/`))}
              onChange={(key, value) => onChange(changeTrait(data, index, trait, key, value))}
              onRemove={() => {
                onRemoveTrait(index)
                onChange(changeText(data, ['attributes', index], undefined))
              }}
            />
          ))}
        </div>
        <datalist id="trait-names">
          {traitNames(schema).map(name => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </section>
    </>
  )
}

const toText = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)

/** The initial text of a field stands for its initial value. A number stays a number as long as the text is one. */
function changeKey(data: string, key: string, text: string, begun: unknown): string {
  const isNumber = typeof begun === 'number' && /^(0|-?[1-9]\d{0,14})$/.test(text)
  const value = isNumber ? Number(text) : text
  return changeText(data, [key], text === toText(begun) ? begun : value)
}

/** What is no object becomes one. */
const changeTrait = (data: string, index: number, trait: unknown, key: string, value: unknown): string =>
  isObject(trait)
    ? changeText(data, ['attributes', index, key], value)
    : changeText(data, ['attributes', index], { [key]: value })
