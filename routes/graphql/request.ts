import { type TObject, Type } from 'typebox'

const optionalText = () =>
  Type.Optional(Type.Union([Type.String(), Type.Null()], { description: 'a string or null' }))
const optionalObject = () =>
  Type.Optional(
    // Not a Record, whose check looks at each name.
    Type.Union([Type.Object({}), Type.Null()], { description: 'an object or null' })
  )

/** GraphQL over HTTP, "Request Parameters": null counts as absent. */
export const RequestParameters: TObject = Type.Object({
  query: Type.String({ description: 'a string' }),
  variables: optionalObject(),
  operationName: optionalText(),
  extensions: optionalObject()
})
