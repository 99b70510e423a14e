/**
 * What the types of this package name of TypeBox, in `dist/libraries`, so that users need not install TypeBox: schemas as
 * they are when they are only read for their type.
 */
export * as Type from './typebox.js'

export type TSchema = object

interface Typed<T> {
  readonly type: T
}
interface Optional {
  readonly optional: true
}

export type TString = Typed<string>
export type TInteger = Typed<number>
export type TBoolean = Typed<boolean>
export type TUnsafe<T> = Typed<T>
export type TEnum<Values extends readonly unknown[]> = Typed<Values[number]>
export type TArray<S extends TSchema> = Typed<Static<S>[]>
export type TUnion<S extends TSchema[]> = Typed<Static<S[number]>>
export type TRefine<S extends TSchema> = S
export type TOptional<S extends TSchema> = S & Optional
export type TObject<Properties> = Typed<
  Flat<
    {
      [Key in keyof Properties as Properties[Key] extends Optional ? never : Key]: Static<Properties[Key]>
    } & {
      [Key in keyof Properties as Properties[Key] extends Optional ? Key : never]?: Static<Properties[Key]>
    }
  >
>
type Flat<T> = { [Key in keyof T]: T[Key] }

/** The type of the values of a schema. */
export type Static<S> = S extends Typed<infer T> ? T : never
