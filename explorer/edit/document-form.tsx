import { parseObject } from '../template/parts.ts'
import { Field } from './field.tsx'
import { fieldOf, type Problem } from './problem.ts'
import { keysOf, type Schema, traitNames } from './schema.ts'
import { changeText } from './text-edit.ts'
import { TraitRow } from './trait-row.tsx'

interface Props {
  data: string
  schema: Schema
  problems: Problem[]
  onChange: (data: string) => void
  onRemoveTrait: (index: number) => void
}

/** The document as a form that follows its JSON Schema. Each change is made in the text, and nothing else of it. */
export function DocumentForm({ data, schema, problems, onChange, onRemoveTrait }: Props) {
  const document = parseObject(data)
  if (!document) return <p class="notice warning">The text is not a JSON object. Correct it under “Text”.</p>
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
        <Field key={key} name={`/${key}`} label={title} hint={description} problems={at(`/${key}`)}>
          {key === 'description' ? (
            <textarea
              class="field"
              value={toText(document[key])}
              onInput={event => onChange(changeKey(data, key, event.currentTarget.value, document[key]))}
            />
          ) : (
            <input
              class="field"
              value={toText(document[key])}
              onInput={event => onChange(changeKey(data, key, event.currentTarget.value, document[key]))}
            />
          )}
        </Field>
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
              onChange={(key, value) => onChange(changeText(data, ['attributes', index, key], value))}
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

/** A number stays a number as long as it is one. */
function changeKey(data: string, key: string, text: string, before: unknown): string {
  const isNumber = typeof before === 'number' && /^-?\d{1,15}$/.test(text)
  return changeText(data, [key], isNumber ? Number(text) : text)
}
