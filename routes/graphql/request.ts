import { type TObject, Type } from 'typebox'

const nullable = (type: ReturnType<typeof Type.String | typeof Type.Record>) =>
  Type.Optional(Type.Union([type, Type.Null()]))

const map = () => Type.Record(Type.String(), Type.Unknown())

/** GraphQL over HTTP, "Request Parameters": null counts as absent. */
export const RequestParameters: TObject = Type.Object({
  query: Type.String(),
  variables: nullable(map()),
  operationName: nullable(Type.String()),
  extensions: nullable(map())
})
