import { Fragment } from 'preact'
import { useState } from 'preact/hooks'
import { documentKeys } from '../../domain/document.ts'
import { parseInteger, parseObject } from '../../runtime/json-values.ts'
import { storesPictures } from '../additions.ts'
import { client } from '../api.ts'
import type { TraitFacet } from '../filters/counts.ts'
import { PictureProblem } from '../picture/picture-problem.tsx'
import { TemplatePicture } from '../picture/template-picture.tsx'
import { showStored } from '../picture/use-picture.ts'
import { Problems } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { FileButton } from '../ui/file-button.tsx'
import { TextInput } from '../ui/inputs.tsx'
import { useBusy } from '../ui/use-busy.ts'
import { Advanced } from './advanced.tsx'
import type { Draft } from './draft.ts'
import { fieldOf, type Problem } from './problem.ts'
import { keysOf, type Schema } from './schema.ts'
import { changeText, toText } from './text-edit.ts'
import { TraitList } from './trait-list.tsx'

interface Props {
  draft: Draft
  schema: Schema
  /** The traits of all templates. */
  facets: TraitFacet[]
  problems: Problem[]
  onChange: (change: Partial<Draft>) => void
  onRemoveTrait: (index: number) => void
}

/** The document as a form that follows its JSON Schema. Each change edits only that value in the text. */
export function DocumentForm({ draft, schema, facets, problems, onChange, onRemoveTrait }: Props) {
  const { data } = draft
  const document = parseObject(data)
  if (!document) return <p class="notice warning">The text is not a JSON object. Correct it under “Text”.</p>
  const write = (next: string) => onChange({ data: next })
  const initial = parseObject((draft.base ?? draft.copied)?.data ?? '')
  const writeKey = (key: string, text: string) => write(changeKey(data, key, text, initial?.[key]))
  const at = (pointer: string) => problems.filter(problem => fieldOf(problem) === pointer)
  return (
    <>
      {ownKeys(schema).map(([key, { title, description }]) => (
        <Fragment key={key}>
          <Field name={`/${key}`} label={title} hint={hints[key] ?? description} problems={at(`/${key}`)}>
            <TextInput
              isLong={key === 'description'}
              value={toText(document[key])}
              onChange={text => writeKey(key, text)}
            />
          </Field>
          {key === 'image' && (
            <PictureUpload
              link={toText(document[key])}
              onUpload={link => write(changeText(data, [key], link))}
            />
          )}
        </Fragment>
      ))}
      <Advanced draft={draft} problems={problems} onText={writeKey} onChange={onChange} />
      <TraitList
        draft={draft}
        schema={schema}
        facets={facets}
        problems={problems}
        onWrite={write}
        onRemoveTrait={onRemoveTrait}
      />
    </>
  )
}

/** What the form says about keys that the schema describes for programmers. */
const hints: Record<string, string> = {
  productId: 'A number or nothing.',
  external_url: 'Web page of the product, or nothing.'
}

/** The keys of the document that do not repeat a field of the template. */
const ownKeys = (schema: Schema) =>
  keysOf(schema).filter(([key]) => !Object.values<string>(documentKeys).includes(key))

/**
 * Edits a key. If the text is back to the initial text, the initial value is restored. A number stays a number as long
 * as the text is one.
 */
function changeKey(data: string, key: string, text: string, initial: unknown): string {
  const number = typeof initial === 'number' ? parseInteger(text) : undefined
  return changeText(data, [key], text === toText(initial) ? initial : (number ?? text))
}

interface UploadProps {
  /** The link in the document. */
  link: string
  /** Called with the link of the uploaded picture. */
  onUpload: (link: string) => void
}

/** Shows the picture of a template and uploads a new one. */
function PictureUpload({ link, onUpload }: UploadProps) {
  const [isBusy, runOnce] = useBusy()
  const [problem, setProblem] = useState('')
  const upload = async ([file]: File[]) => {
    if (!file) return
    setProblem('')
    try {
      const stored = await client.uploadPicture(file)
      showStored([stored.link])
      onUpload(stored.link)
    } catch (error) {
      setProblem(`The picture was not stored: ${(error as Error).message}.`)
    }
  }
  return (
    <div class="picture-upload">
      <TemplatePicture image={link} name={link} without="nothing" />
      <div>
        {storesPictures && (
          <>
            <FileButton
              label={isBusy ? 'Uploading…' : 'Upload a picture'}
              accept="image/png,image/jpeg,image/gif,image/webp,image/avif"
              isDisabled={isBusy}
              onFiles={files => runOnce(() => upload(files))}
            />
            <p class="hint">The link will be the IPFS link of exactly these bytes.</p>
          </>
        )}
        <PictureProblem link={link} />
        <Problems problems={problem} look="problem" />
      </div>
    </div>
  )
}
