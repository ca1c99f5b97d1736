/** Changed functions only, which are files since (functions/*.sql). The name stays: databases have it among their migrations. */
export async function up(): Promise<void> {}
