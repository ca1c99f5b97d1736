import type { Ctx } from '../../core/context.ts'
import { ApiError } from '../../core/http/errors.ts'
import { numbersRead } from '../../core/http/numeric-text.ts'
import { loadMetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import { attributesOf, parametersOf, refuseMaterialMembers, rewardKindOf } from './define.ts'
import { toReward } from './reward.ts'
import { NewReward, type Reward } from './schema.ts'
import { insertReward } from './store.ts'

const read = numbersRead(NewReward)

export async function createReward(ctx: Ctx, sent: NewReward): Promise<Reward> {
  const body = read(sent)
  const { parameters } = body
  if (parameters == null) throw new ApiError('missing_param', { details: "Parameter 'parameters' is required" })
  const type = rewardKindOf(parameters, body.type)
  refuseMaterialMembers(type, body)
  const metadata = body.metadata ?? {}
  const rules = await loadMetadataRules(ctx, 'reward')
  rules.check(metadata, { isNew: true })
  const row = await insertReward(ctx, {
    name: body.name,
    type,
    parameters: JSON.stringify(await parametersOf(ctx, parameters)),
    stock: body.stock ?? null,
    attributes: JSON.stringify(attributesOf(body.attributes)),
    metadata: JSON.stringify(metadata),
  })
  return toReward(row)
}
