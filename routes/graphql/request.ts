import { type TObject, Type } from 'typebox'

const optionalText = () =>
  Type.Optional(Type.Union([Type.String(), Type.Null()], { description: 'a string or null' }))
const optionalObject = () =>
  Type.Optional(
    Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], {
      description: 'an object or null'
    })
  )

/** GraphQL over HTTP, "Request Parameters": null counts as absent. */
export const RequestParameters: TObject = Type.Object({
  query: Type.String({ description: 'a string' }),
  variables: optionalObject(),
  operationName: optionalText(),
  extensions: optionalObject()
})
