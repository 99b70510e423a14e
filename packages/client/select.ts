import type { TypedDocument } from './document.ts'
import { toText } from './document.ts'
import type { Json } from './schema.ts'

type Element<Value> = Value extends readonly (infer Item)[] ? Element<Item> : NonNullable<Value>

/** The selected fields of a type, such as `{ id: true, document: { image: true } }`. */
export type Select<Type> = {
  [Field in keyof Type]?: NonNullable<Type[Field]> extends Json ? true : Select<Element<Type[Field]>>
}

/** The result type of a selection. */
export type Selected<Type, Selection> = Selection extends true
  ? Type
  : Type extends null
    ? null
    : Type extends readonly (infer Item)[]
      ? Selected<Item, Selection>[]
      : { [Field in keyof Selection & keyof Type]: Selected<Type[Field], Selection[Field]> }

/** Rejects unknown fields in a selection, which TypeScript would accept. */
export type Exact<Type, Selection> = {
  [Field in keyof Selection]: Field extends keyof Type
    ? NonNullable<Selection[Field]> extends true
      ? true
      : Exact<Element<Type[Field]>, NonNullable<Selection[Field]>>
    : never
}

/** The text of a selection, and the fragments that it uses. */
interface SelectionText {
  fields: string
  fragments: string
}

/** Prints a selection: an object, or a fragment of gql.tada or graphql-codegen. */
export function writeSelection(select: object): SelectionText {
  if (!(select instanceof String) && !('kind' in select))
    return { fields: writeFields(select), fragments: '' }
  const fragments = toText(select as TypedDocument)
  const [, name] = /\bfragment\s+(\w+)/.exec(fragments) ?? []
  return { fields: `...${name}`, fragments }
}

const writeFields = (select: object): string =>
  Object.entries(select)
    .filter(([, value]) => value)
    .map(([name, value]) => (value === true ? name : `${name}{${writeFields(value)}}`))
    .join(' ')
